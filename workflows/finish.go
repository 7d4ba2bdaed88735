package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools"
	"errand/tools/item"
)

// ending is how a run ends.
type ending struct {
	status Status
	reason string
	err    *RunError
	// next continues the run in a new execution, in place of all the others.
	next error
}

// maxFaults bounds the faults that a failed run lists.
const maxFaults = 200

func invalid(faults tools.Faults) ending {
	faults = faults.Bounded(maxFaults)
	return ending{status: Failed, err: &RunError{
		Code: ErrInvalidRequest, Message: faults.Error(), Faults: faults,
	}}
}

// failure is the ending that an activity's error means.
func (r *run) failure(ctx workflow.Context, err error) ending {
	if ctx.Err() != nil || temporal.IsCanceledError(err) {
		if ctx.Err() == nil && r.stopping.soon() {
			return r.stopping.ending()
		}
		return ending{status: Cancelled}
	}
	code, message := ErrModelUnavailable, err.Error()
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		message = app.Message()
		r.report.spend(failedInference(app))
		switch app.Type() {
		case activities.TypeModelRejected, activities.TypeLimitExceeded:
			code = app.Type()
		case activities.TypeContextExceeded:
			code = ErrModelRejected
		}
	}
	if r.round == 0 {
		code = ErrDiscoveryFailed
	}
	return ending{status: Failed, err: &RunError{Code: code, Message: message}}
}

// failedInference is what the attempts at an inference have used that failed
// for good.
func failedInference(app *temporal.ApplicationError) *activities.Spent {
	var p activities.Progress
	if !app.HasDetails() || app.Details(&p) != nil {
		return nil
	}
	return p.Spent
}

// finish takes what has arrived meanwhile, and ends the run. Nothing is
// accepted any more from the moment that the result is made.
func (r *run) finish(ctx workflow.Context, end ending) (*Result, error) {
	detached, _ := workflow.NewDisconnectedContext(ctx)
	r.release(detached)
	for settled := false; !settled; {
		if err := workflow.Await(detached, func() bool { return r.decided(detached) }); err != nil {
			return nil, err
		}
		settled = !r.receive(detached)
	}
	r.inbox.closed = true
	r.report.status = end.status
	r.showAttributes(detached)
	if end.err != nil {
		r.report.lastError = short(end.err.Code + ": " + end.err.Message)
	}
	r.warnLeftovers(detached)
	r.journal.add(detached, Event{Type: EventRunEnd, Status: string(end.status), Reason: end.why()})
	r.journal.closed = true
	r.showDetails(detached)
	result := r.result(end)
	switch end.status { //nolint:exhaustive // the other two ends complete the workflow
	case Failed:
		return nil, temporal.NewApplicationErrorWithOptions(end.err.Message, end.err.Code,
			temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{result}})
	case Cancelled:
		return nil, temporal.NewCanceledError(*result)
	}
	return result, nil
}

func (e ending) why() string {
	if e.err != nil {
		return e.err.Code
	}
	return e.reason
}

// warnLeftovers names what nobody will read: signals of unknown names, and
// messages that came too late for another round.
func (r *run) warnLeftovers(ctx workflow.Context) {
	r.noteUnknownSignals(ctx)
	if names := r.inbox.unknown; len(names) > 0 {
		r.report.warn("signals with unknown names were ignored: " + strings.Join(names, ", "))
	}
	if r.journal.rejected > maxRejected {
		r.report.warn(fmt.Sprintf("%d signals were rejected; the events have the first %d", r.journal.rejected, maxRejected))
	}
	if n := len(r.inbox.steering) + len(r.inbox.followUps); n > 0 {
		r.report.warn("the run ended with messages that it had not delivered")
	}
}

// result is what a run ends with, within MaxResultSize.
func (r *run) result(end ending) *Result {
	result := &Result{
		ID: r.id, Object: "response", Status: end.status, Model: r.report.model,
		Output: r.report.output, OutputText: r.outputText(), Usage: r.report.usage, Error: end.err,
		Metadata: r.request.Metadata, Tools: r.request.RawTools,
		Run: RunReport{
			Rounds: r.round, Cost: r.report.cost, Traces: r.report.traces, Changes: r.report.changes,
			Release: r.report.release, Stop: r.stopping.order, Warnings: r.report.allWarnings(),
			TracesLeftOut: r.report.oldTraces,
		},
	}
	if end.status == Incomplete {
		result.Incomplete = &IncompleteReason{Reason: end.reason}
	}
	fit(result)
	return result
}

// outputText is the text of the last message.
func (r *run) outputText() string {
	for i := len(r.report.output) - 1; i >= 0; i-- {
		if head, err := item.Peek(r.report.output[i]); err == nil && head.Type == item.TypeMessage {
			return item.Text(r.report.output[i])
		}
	}
	return ""
}

// fit leaves out what is least missed, as much as it takes. The queries have
// all of it.
func fit(result *Result) {
	if result.Output == nil {
		result.Output = []json.RawMessage{}
	}
	if result.Run.Traces == nil {
		result.Run.Traces = []tools.Trace{}
	}
	if result.Run.Release == nil {
		result.Run.Release = []Release{}
	}
	if result.Run.Changes == nil {
		result.Run.Changes = []tools.Change{}
	}
	for _, shrink := range []func(*Result) bool{
		fewerTraces(100), fewerItems, noChanges, noDeclarations, fewerTraces(0), fewerWarnings, shorterText, noMetadata,
	} {
		for encodedSize(result) > MaxResultSize && shrink(result) {
		}
	}
}

// A shrinker takes something out of a result, and tells whether it did.

func fewerTraces(keep int) func(*Result) bool {
	return func(r *Result) bool {
		n := min(len(r.Run.Traces)/2+1, len(r.Run.Traces)-keep)
		if n <= 0 {
			return false
		}
		r.Run.Traces = r.Run.Traces[n:]
		r.Run.TracesLeftOut += n
		return true
	}
}

func fewerItems(r *Result) bool {
	excess := encodedSize(r) - MaxResultSize
	n := 0
	for n < len(r.Output) && excess > 0 {
		excess -= encodedSize(r.Output[n])
		n++
	}
	r.Output = r.Output[n:]
	r.Run.ItemsLeftOut += n
	return n > 0
}

func noChanges(r *Result) bool {
	if len(r.Run.Changes) == 0 {
		return false
	}
	r.Run.Changes = []tools.Change{}
	r.Run.Warnings = append(r.Run.Warnings, "the changes did not fit in the result")
	return true
}

func noDeclarations(r *Result) bool {
	had := r.Tools != nil
	r.Tools = nil
	return had
}

func fewerWarnings(r *Result) bool {
	const keep = 10
	had := len(r.Run.Warnings) > keep+1
	if had {
		r.Run.Warnings = append(r.Run.Warnings[:keep:keep], "… and more that did not fit in the result")
	}
	return had
}

func shorterText(r *Result) bool {
	text, full := tools.Cut(r.OutputText, MaxResultSize/2)
	r.OutputText = text
	return full > 0
}

func noMetadata(r *Result) bool {
	had := r.Metadata != nil
	r.Metadata = nil
	return had
}

func encodedSize(v any) int {
	text, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(text)
}
