package workflows

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/tools"
)

func TestLostCallsAreJudgedByEffectAndMark(t *testing.T) {
	t.Parallel()
	heartbeat := func(details ...any) error {
		return temporal.NewHeartbeatTimeoutError(details...)
	}
	stopped := func(begun bool) error {
		return temporal.NewApplicationError("stopped", activities.TypeWorkerStopped, activities.Progress{Begun: begun})
	}
	for name, row := range map[string]struct {
		err    error
		effect tools.Effect
		want   loss
	}{
		"no error":                              {nil, tools.EffectOnce, arrived},
		"cancelled":                             {temporal.NewCanceledError(), tools.EffectOnce, stoppedByRun},
		"once, lost after its mark":             {heartbeat(activities.Progress{Begun: true}), tools.EffectOnce, mayHaveHappened},
		"once, lost before its mark":            {heartbeat(), tools.EffectOnce, neverBegan},
		"nothing declared counts as once":       {heartbeat(activities.Progress{Begun: true}), "", mayHaveHappened},
		"read, attempts used up":                {heartbeat(), tools.EffectRead, broken},
		"idempotent, attempts used up":          {heartbeat(), tools.EffectIdempotent, mayHaveHappened},
		"once, its worker stopped after begin":  {stopped(true), tools.EffectOnce, mayHaveHappened},
		"once, its worker stopped before begin": {stopped(false), tools.EffectOnce, neverBegan},
		"idempotent, workers stopped, used up":  {stopped(false), tools.EffectIdempotent, mayHaveHappened},
		"once, the mark was not taken":          {temporal.NewApplicationError("no", activities.TypeNotBegun), tools.EffectOnce, neverBegan},
		"nobody took it":                        {temporal.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_START, nil), tools.EffectOnce, neverBegan},
		"once, hung with its mark":              {temporal.NewTimeoutError(enums.TIMEOUT_TYPE_START_TO_CLOSE, nil, activities.Progress{Begun: true}), tools.EffectOnce, mayHaveHappened},
		"a fault of ours":                       {errors.New("bug"), tools.EffectRead, broken},
		"a fault of ours after a once call":     {errors.New("bug"), tools.EffectOnce, mayHaveHappened},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, row.want, judge(row.err, row.effect))
		})
	}
}
