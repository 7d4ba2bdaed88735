package workflows

import (
	"cmp"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/tools"
)

func TestLostCallsAreClassifiedByEffectAndMark(t *testing.T) {
	t.Parallel()
	heartbeat := func(details ...any) error {
		return temporal.NewHeartbeatTimeoutError(details...)
	}
	stopped := func(begun bool) error {
		return temporal.NewApplicationError("stopped", activities.TypeWorkerStopped, activities.Heartbeat{Begun: begun})
	}
	for name, row := range map[string]struct {
		err    error
		effect tools.Effect
		want   failureClass
		pinned failureClass // where it differs on a worker's own queue
	}{
		"no error":                              {nil, tools.EffectOnce, arrived, 0},
		"cancelled":                             {temporal.NewCanceledError(), tools.EffectOnce, stoppedByRun, 0},
		"once, lost after its mark":             {heartbeat(activities.Heartbeat{Begun: true}), tools.EffectOnce, mayHaveHappened, 0},
		"once, lost before its mark":            {heartbeat(), tools.EffectOnce, neverBegan, 0},
		"nothing declared counts as once":       {heartbeat(activities.Heartbeat{Begun: true}), "", mayHaveHappened, 0},
		"read, attempts used up":                {heartbeat(), tools.EffectRead, broken, repeatable},
		"idempotent, attempts used up":          {heartbeat(), tools.EffectIdempotent, mayHaveHappened, repeatable},
		"once, its worker stopped after begin":  {stopped(true), tools.EffectOnce, mayHaveHappened, 0},
		"once, its worker stopped before begin": {stopped(false), tools.EffectOnce, neverBegan, 0},
		"idempotent, workers stopped, used up":  {stopped(false), tools.EffectIdempotent, mayHaveHappened, repeatable},
		"once, the mark was not taken":          {temporal.NewApplicationError("no", activities.TypeNotBegun), tools.EffectOnce, neverBegan, 0},
		"nobody took it":                        {temporal.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_START, nil), tools.EffectOnce, neverBegan, 0},
		"once, hung with its mark":              {temporal.NewTimeoutError(enums.TIMEOUT_TYPE_START_TO_CLOSE, nil, activities.Heartbeat{Begun: true}), tools.EffectOnce, mayHaveHappened, 0},
		"the session is gone":                   {temporal.NewApplicationError("no", activities.TypeSessionGone), tools.EffectOnce, neverBegan, 0},
		"a fault of ours":                       {errors.New("bug"), tools.EffectRead, broken, 0},
		"a fault of ours after a once call":     {errors.New("bug"), tools.EffectOnce, mayHaveHappened, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, row.want, classify(row.err, row.effect, false))
			require.Equal(t, cmp.Or(row.pinned, row.want), classify(row.err, row.effect, true), "pinned to a worker")
		})
	}
}
