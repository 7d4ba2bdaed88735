package workflows

import (
	"errors"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/activities/model"
	"errand/workflows/contract"
)

// whyFailed is the error type of a run that the error of an inference ends, and
// what to say about it. There is no type for faults of the machine: the run
// could not get an answer, and the message says whose fault that was.
func whyFailed(err error) (code, message string) {
	var app *temporal.ApplicationError
	var timeout *temporal.TimeoutError
	switch {
	case errors.As(err, &app):
		return whyRefused(app)
	case errors.As(err, &timeout) && timeout.TimeoutType() == enums.TIMEOUT_TYPE_HEARTBEAT:
		return contract.ErrModelUnavailable, "the model has not answered: the workers that asked it were lost, one after the other; their own logs, or the machine's, say why"
	case errors.As(err, &timeout):
		return contract.ErrModelUnavailable, "the model has not answered: attempt after attempt took over " + inferLimit.String()
	}
	return contract.ErrModelUnavailable, err.Error()
}

func whyRefused(app *temporal.ApplicationError) (code, message string) {
	switch app.Type() {
	case activities.TypeModelRejected, activities.TypeLimitExceeded:
		return app.Type(), app.Message()
	case activities.TypeContextExceeded:
		return contract.ErrModelRejected, app.Message()
	case activities.TypeWorkerStopped:
		return contract.ErrModelUnavailable, "the model has not answered: the workers that asked it were stopped, one after the other"
	}
	return contract.ErrModelUnavailable, app.Message()
}

// failedInference is what the attempts at an inference have used that failed
// for good.
func failedInference(err error) *model.Spent {
	var p activities.Heartbeat
	var app *temporal.ApplicationError
	var timeout *temporal.TimeoutError
	switch {
	case errors.As(err, &app) && app.HasDetails() && app.Details(&p) == nil:
	case errors.As(err, &timeout) && timeout.HasLastHeartbeatDetails() && timeout.LastHeartbeatDetails(&p) == nil:
	}
	return p.Spent
}
