package workflows

import (
	"encoding/json"
	"errors"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/tools/item"
	"errand/workflows/contract"
)

// inbox is what arrived from outside and waits for its turn.
type inbox struct {
	steering  []json.RawMessage
	followUps []json.RawMessage
	heard     []heardMessage
	channels  []*inlet
	closed    bool
	// unknown are the names of signals that nobody reads, of earlier
	// executions.
	unknown []string
	vetting vetting
}

// inlet is a signal channel and what decides about its payloads.
type inlet struct {
	name    string
	channel workflow.ReceiveChannel
	check   func(workflow.Context, converter.RawValue) (commit, error)
}

func (i *inbox) queue(m contract.Message) {
	message := item.MessageWith(m.Role, m.Content)
	if m.Deliver == contract.DeliverFollowUp {
		i.followUps = append(i.followUps, message)
		return
	}
	i.steering = append(i.steering, message)
}

// take removes the messages of the next round: all steering, or one follow-up.
func (i *inbox) take(followUp bool) []json.RawMessage {
	if followUp && len(i.followUps) > 0 {
		next := i.followUps[:1:1]
		i.followUps = i.followUps[1:]
		return next
	}
	next := i.steering
	i.steering = nil
	return next
}

// listen registers everything that reaches a run from outside: queries,
// updates, signals.
func (r *run) listen(ctx workflow.Context) error {
	if err := r.answerQueries(ctx); err != nil {
		return err
	}
	checks := []*inlet{
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
		r.inbox.channels = append(r.inbox.channels, in)
		workflow.Go(ctx, func(ctx workflow.Context) { r.takeSignals(ctx, in) })
	}
	workflow.Go(ctx, r.takeProgress)
	workflow.Go(ctx, r.takeClosings)
	workflow.Go(ctx, r.takeDelegated)
	r.keepAttributes(ctx)
	return r.takeUpdates(ctx, &inlet{name: contract.ClaimAction, check: r.checkClaim})
}

func (r *run) takeUpdates(ctx workflow.Context, in *inlet) error {
	check := func(ctx workflow.Context, payload converter.RawValue) error {
		if r.inbox.closed {
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
func (r *run) takeSignals(ctx workflow.Context, in *inlet) {
	detached, _ := workflow.NewDisconnectedContext(ctx) // a cancelled run hears to its end
	for {
		_ = workflow.Await(detached, func() bool { return in.channel.Len() > 0 })
		r.takeWaiting(ctx, in)
	}
}

// takeWaiting takes every signal of a channel that has arrived.
func (r *run) takeWaiting(ctx workflow.Context, in *inlet) (some bool) {
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
func (r *run) takeSignal(ctx workflow.Context, in *inlet, payload converter.RawValue) {
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

func (r *run) reject(ctx workflow.Context, in *inlet, why error) {
	reason := short(in.name + ": " + refusal(why))
	r.journal.reject(ctx, reason)
	r.report.lastError = "rejected " + reason
	r.showDetails(ctx)
}

// receive takes every signal that has arrived. It is called before a decision
// that could end the run: what the server has accepted must not be lost.
func (r *run) receive(ctx workflow.Context) (some bool) {
	for _, in := range r.inbox.channels {
		some = r.takeWaiting(ctx, in) || some
	}
	return some
}
