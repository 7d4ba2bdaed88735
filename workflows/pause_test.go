package workflows

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPausesGrowUpToABound(t *testing.T) {
	t.Parallel()
	var all []time.Duration
	for try := 1; try < maxTries; try++ {
		all = append(all, tryPause(try)/time.Second)
	}
	require.Equal(t, []time.Duration{1, 2, 4, 8, 16, 30, 30, 30, 30}, all)
}
