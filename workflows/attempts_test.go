package workflows

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPausesGrowUpToABound(t *testing.T) {
	t.Parallel()
	var all []time.Duration
	for attempt := 1; attempt < maxAttempts; attempt++ {
		all = append(all, attemptPause(attempt)/time.Second)
	}
	require.Equal(t, []time.Duration{1, 2, 4, 8, 16, 30, 30, 30, 30}, all)
}
