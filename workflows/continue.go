package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/workflows/contract"
)

// execution is what concerns one execution of a run, and not the run: it
// begins anew with the next.
type execution struct {
	// resumed is true for every execution but the first.
	resumed bool
	// carried is the size of the history that it began with, since the number
	// of the newest event then.
	carried, since   int
	signals, updates int
	// telling counts the signals to the run above that are on their way. A server
	// drops those of an execution that has ended.
	telling int
	// answeredAt is the length of the history in the workflow task that last
	// answered an update.
	answeredAt int
	// unfit is the size of the history when the state did not fit.
	unfit int
	// about is what the user asked for. The summary that the first execution was
	// started with is not one of the others.
	about string
}

func (r *run) growth(ctx workflow.Context) growth {
	info, x := workflow.GetInfo(ctx), r.execution
	return growth{
		moved:  r.Journal.Last() > x.since || x.signals+x.updates > 0,
		events: info.GetCurrentHistoryLength(), bytes: info.GetCurrentHistorySize(), carried: x.carried,
		signals: x.signals, updates: x.updates, suggested: info.GetContinueAsNewSuggested(),
		limit: r.Request.Run.ContinueAfterEvents, unfit: x.unfit,
	}
}

// due tells whether the run should leave this execution.
func (r *run) due(ctx workflow.Context) bool {
	return r.growth(ctx).course() != stay
}

// leave ends this execution if it has grown too large: the run goes on in a
// new one, or ends when its state does not fit there. rests tells whether
// nothing is under way; it is asked again after what had arrived was taken.
// Nil means that the run stays.
func (r *run) leave(ctx workflow.Context, rests func() bool) *ending {
	if !r.due(ctx) {
		return nil
	}
	for settled := false; !settled; {
		if workflow.Await(ctx, func() bool { return r.decided(ctx) }) != nil {
			return nil
		}
		settled = !r.receive(ctx)
		if settled && r.execution.answeredAt == workflow.GetInfo(ctx).GetCurrentHistoryLength() {
			// The answer to an update can get lost when its workflow task ends
			// the execution: let another task do that.
			r.execution.answeredAt = 0
			if workflow.Sleep(ctx, time.Millisecond) != nil {
				return nil
			}
			settled = false
		}
	}
	r.hearClosings(ctx)
	if ctx.Err() != nil || !rests() {
		return nil
	}
	switch r.growth(ctx).course() {
	case renew:
		return r.renew(ctx)
	case giveUp:
		return &ending{status: contract.Incomplete, reason: contract.ReasonConversationTooLarge}
	case stay:
	}
	return nil
}

// renew makes the ending that continues the run, if its state fits.
func (r *run) renew(ctx workflow.Context) *ending {
	r.noteUnknownSignals(ctx)
	packed, err := r.pack()
	// Another build may compress otherwise: what was decided is kept.
	fits := workflow.SideEffect(ctx, func(workflow.Context) any { return err == nil && len(packed) <= r.maxState() })
	var yes bool
	if fits.Get(&yes) != nil || !yes {
		r.execution.unfit = max(1, workflow.GetInfo(ctx).GetCurrentHistorySize())
		return nil
	}
	r.date(ctx)
	return &ending{next: workflow.NewContinueAsNewError(ctx, workflow.GetInfo(ctx).WorkflowType.Name, packed)}
}

// date writes down when the run began, in its first execution. The memo goes on
// with the run.
func (r *run) date(ctx workflow.Context) {
	if r.execution.resumed {
		return
	}
	began := workflow.GetInfo(ctx).WorkflowStartTime.UTC().Format(time.RFC3339Nano)
	if err := workflow.UpsertMemo(ctx, map[string]any{contract.MemoStarted: began}); err != nil {
		workflow.GetLogger(ctx).Error("the start of the run was not written down", "error", err)
	}
}

// noteUnknownSignals keeps the names of signals that nobody reads: they do not
// reach the next execution.
func (r *run) noteUnknownSignals(ctx workflow.Context) {
	names := workflow.GetUnhandledSignalNames(ctx)
	for i, name := range names {
		names[i] = short(name)
	}
	slices.Sort(names) // they come out of a map
	r.Inbox.NoteUnknown(names)
}

// resume takes the state that an earlier execution left, if there is one. It
// comes before listen: what arrives is judged by that state.
func (r *run) resume(ctx workflow.Context, argument converter.RawValue) {
	if workflow.GetInfo(ctx).ContinuedExecutionRunID == "" || !isState(argument) {
		return
	}
	s, err := decodeSnapshot(argument.Payload().GetData())
	if err == nil {
		err = r.restore(s)
	}
	if err != nil {
		// Another build wrote it, or another codec: a worker that can read it
		// goes on with the run. Failing would lose all that was done.
		panic(err)
	}
	r.execution.resumed, r.execution.since, r.execution.about = true, r.Journal.Last(), inline(short(r.Conversation.FirstUserText()), maxSummary)
	r.showDetails(ctx)
}

// isState tells whether an argument is a state. A request is JSON.
func isState(argument converter.RawValue) bool {
	return string(argument.Payload().GetMetadata()[converter.MetadataEncoding]) == converter.MetadataEncodingBinary
}

// A server ends an execution of 51,200 events or 50 MiB, and refuses its
// 10,001st signal and its 2,001st update. A run goes on in a new execution well
// before.
const (
	manyEvents, tooManyEvents = contract.MaxContinueAfterEvents, 45_000
	manyBytes, tooManyBytes   = 30 << 20, 42 << 20
	manySignals               = 8_000
	manyUpdates               = 1_500
)

// growth is how far an execution has come.
type growth struct {
	// moved tells whether anything has happened since the execution began.
	moved bool
	// events and bytes are those of its history, carried the bytes that it
	// began with.
	events, bytes, carried int
	signals, updates       int
	// suggested is the server's own advice to continue.
	suggested bool
	// limit is run.continue_after_events; 0 leaves it to the server.
	limit int
	// unfit is the size of the history when the state last did not fit into a
	// new execution; 0 when it always did.
	unfit int
}

// course is what growth asks for.
type course int

const (
	stay course = iota
	renew
	giveUp
)

// course says whether a run should go on in a new execution. One that cannot,
// since its state does not fit, stays as long as the server lets it, and tries
// again when it has grown: a conversation can be made smaller meanwhile.
func (g growth) course() course {
	switch {
	case !g.moved:
		return stay
	case g.unfit > 0 && (g.events >= tooManyEvents || g.bytes >= tooManyBytes):
		return giveUp
	case g.unfit > 0 && g.bytes < g.unfit+g.unfit/4:
		return stay
	case g.limit > 0 && g.events >= g.limit,
		g.signals >= manySignals, g.updates >= manyUpdates,
		g.events >= manyEvents, g.bytes >= manyBytes,
		g.suggested && g.bytes >= 2*g.carried: // or the copying would be most of the work
		return renew
	}
	return stay
}
