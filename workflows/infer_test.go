package workflows

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/workflows/contract"
)

func TestWhatEndedAnInferenceIsNamed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		err           error
		code, message string
	}{
		"the model said no":            {temporal.NewApplicationError("model answered 401: no", activities.TypeModelRejected), contract.ErrModelRejected, "model answered 401: no"},
		"the conversation is too long": {temporal.NewApplicationError("too long", activities.TypeContextExceeded), contract.ErrModelRejected, "too long"},
		"an answer that is too long":   {temporal.NewApplicationError("too long", activities.TypeLimitExceeded), contract.ErrLimitExceeded, "too long"},
		"the model is away":            {temporal.NewApplicationError("model answered 503", activities.TypeModelUnavailable), contract.ErrModelUnavailable, "model answered 503"},
		"the run cannot be read":       {temporal.NewApplicationError("the model was not asked: no digest", activities.TypeNotAsked), contract.ErrModelUnavailable, "the model was not asked: no digest"},
		"workers are stopped":          {temporal.NewApplicationError("stopped", activities.TypeWorkerStopped), contract.ErrModelUnavailable, "the workers that asked it were stopped"},
		"workers are lost":             {temporal.NewHeartbeatTimeoutError(), contract.ErrModelUnavailable, "the workers that asked it were lost"},
		"attempts without end":         {temporal.NewTimeoutError(enums.TIMEOUT_TYPE_START_TO_CLOSE, nil), contract.ErrModelUnavailable, "took over 1h0m0s"},
		"anything else":                {errors.New("odd"), contract.ErrModelUnavailable, "odd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, message := whyFailed(row.err)
			require.Equal(t, row.code, code)
			require.Contains(t, message, row.message)
		})
	}
}
