package workflows

import (
	"errors"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/workflows/contract"
	"errand/workflows/inbox"
)

// outside is how this execution is reached from outside.
type outside struct {
	sources []*signalSource
	// closed is true once nothing more is accepted.
	closed  bool
	vetting vetting
}

// signalSource is a signal channel and what decides about its payloads.
type signalSource struct {
	name    string
	channel workflow.ReceiveChannel
	check   func(workflow.Context, converter.RawValue) (commit, error)
}

// listen registers everything that reaches a run from outside: queries,
// updates, signals.
func (r *run) listen(ctx workflow.Context) error {
	if err := r.answerQueries(ctx); err != nil {
		return err
	}
	checks := []*signalSource{
		{name: contract.ToolOutput, check: r.checkAnswer},
		{name: contract.SettleApproval, check: r.checkApproval},
		{name: contract.SendMessage, check: r.checkMessage},
		{name: contract.ExtendBudget, check: r.checkExtend},
		{name: contract.StopRun, check: r.checkStop},
	}
	for _, in := range checks {
		if err := r.takeUpdates(ctx, in); err != nil {
			return err
		}
		in.channel = workflow.GetSignalChannel(ctx, in.name)
		r.outside.sources = append(r.outside.sources, in)
		workflow.Go(ctx, func(ctx workflow.Context) { r.takeSignals(ctx, in) })
	}
	workflow.Go(ctx, r.takeProgress)
	workflow.Go(ctx, r.takeClosings)
	workflow.Go(ctx, r.takeDelegated)
	r.keepAttributes(ctx)
	return r.takeUpdates(ctx, &signalSource{name: contract.ClaimAction, check: r.checkClaim})
}

func (r *run) takeUpdates(ctx workflow.Context, in *signalSource) error {
	check := func(ctx workflow.Context, payload converter.RawValue) error {
		if r.outside.closed {
			return errEnding
		}
		if _, err := in.check(ctx, payload); err != nil {
			return errors.New(short(err.Error()))
		}
		return nil
	}
	handler := func(ctx workflow.Context, payload converter.RawValue) (contract.Receipt, error) {
		commit, err := in.check(ctx, payload)
		if err != nil { // it changed since the validator looked
			return contract.Receipt{}, err
		}
		r.execution.updates++
		receipt, err := r.take(ctx, in, payload, commit)
		r.execution.answeredAt = workflow.GetInfo(ctx).GetCurrentHistoryLength()
		return receipt, err
	}
	return workflow.SetUpdateHandlerWithOptions(ctx, in.name, handler, workflow.UpdateHandlerOptions{Validator: check})
}

// takeSignals takes what arrives while the run does something else. A signal
// stays in its channel until somebody takes it: a coroutine that is blocked in
// Receive would get it before its turn comes, where receive cannot see it.
func (r *run) takeSignals(ctx workflow.Context, in *signalSource) {
	detached, _ := workflow.NewDisconnectedContext(ctx) // a cancelled run hears to its end
	for {
		_ = workflow.Await(detached, func() bool { return in.channel.Len() > 0 })
		r.takeWaiting(ctx, in)
	}
}

// takeWaiting takes every signal of a channel that has arrived.
func (r *run) takeWaiting(ctx workflow.Context, in *signalSource) (some bool) {
	var payload converter.RawValue
	for in.channel.ReceiveAsync(&payload) {
		some = true
		r.takeSignal(ctx, in, payload)
		payload = converter.RawValue{}
	}
	return some
}

// takeSignal does what an update would do. Its sender cannot be told no, so a
// refusal is recorded and changes nothing.
func (r *run) takeSignal(ctx workflow.Context, in *signalSource, payload converter.RawValue) {
	r.execution.signals++
	commit, err := in.check(ctx, payload)
	if err != nil {
		r.reject(ctx, in, err)
		return
	}
	if v, must := r.unvetted(in, payload); must {
		workflow.Go(ctx, func(ctx workflow.Context) {
			if _, err := r.takeVetted(ctx, in, payload, v); err != nil {
				r.reject(ctx, in, err)
			}
		})
		return
	}
	commit(ctx)
}

func (r *run) reject(ctx workflow.Context, in *signalSource, why error) {
	reason := short(in.name + ": " + refusal(why))
	if r.Journal.Reject() {
		r.record(ctx, contract.Event{Type: contract.EventRejected, Reason: reason})
	}
	r.Report.LastError = "rejected " + reason
	r.showDetails(ctx)
}

// receive takes every signal that has arrived. It is called before a decision
// that could end the run: what the server has accepted must not be lost.
func (r *run) receive(ctx workflow.Context) (some bool) {
	for _, in := range r.outside.sources {
		some = r.takeWaiting(ctx, in) || some
	}
	return some
}

// checkMessage decides about a message from outside.
func (r *run) checkMessage(_ workflow.Context, payload converter.RawValue) (commit, error) {
	var m contract.Message
	if err := readObject(payload.Payload().GetData(), &m); err != nil {
		return nil, err
	}
	m, err := inbox.Check(m)
	if err != nil {
		return nil, err
	}
	repeated, err := r.Inbox.Repeats(m)
	if err != nil {
		return nil, err
	}
	return func(workflow.Context) contract.Receipt {
		if !repeated {
			r.Inbox.Queue(m)
		}
		return contract.Receipt{ID: contract.SendMessage, Status: "queued", Repeated: repeated}
	}, nil
}
