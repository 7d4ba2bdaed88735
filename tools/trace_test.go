package tools_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
)

func TestTraceSaysWhenACallRan(t *testing.T) {
	t.Parallel()
	at := func(ms int64) time.Time { return time.UnixMilli(1_700_000_000_000 + ms).UTC() }
	for name, row := range map[string]struct {
		outcome        tools.Outcome
		started, ended time.Time
		took           int64
		attempt        int
	}{
		"it ran":              {tools.Outcome{StartedAt: at(10), TookMS: 15}, at(10), at(25), 15, 1},
		"it ran in no time":   {tools.Outcome{StartedAt: at(10)}, at(10), at(10), 0, 1},
		"a later attempt ran": {tools.Outcome{StartedAt: at(10), TookMS: 5, Attempt: 3}, at(10), at(15), 5, 3},
		"it never ran":        {tools.Outcome{}, at(1), at(90), 89, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trace := tools.TraceOf(tools.Call{ID: "call_1"}, row.outcome, at(1), at(90))
			require.Equal(t, row.started, trace.StartedAt)
			require.Equal(t, row.ended, trace.EndedAt)
			require.Equal(t, row.took, trace.DurationMS)
			require.Equal(t, row.attempt, trace.Attempt)
		})
	}
}
