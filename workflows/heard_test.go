package workflows

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/workflows/contract"
)

func TestARunRemembersTheNewestIDsOfMessages(t *testing.T) {
	t.Parallel()
	var i inbox
	for n := range maxHeard + 1 {
		i.remember(contract.Message{ID: fmt.Sprint(n), Content: []byte(`"x"`)})
	}
	require.Len(t, i.heard, maxHeard)
	again, err := i.repeats(contract.Message{ID: "0", Content: []byte(`"x"`)})
	require.NoError(t, err)
	require.False(t, again, "it was forgotten")
	again, err = i.repeats(contract.Message{ID: "1", Content: []byte(`"x"`)})
	require.NoError(t, err)
	require.True(t, again)
}
