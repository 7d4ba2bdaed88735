package workflows

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/workflows/contract"
	"errand/workflows/inbox"
)

// outside is how this execution is reached from outside.
type outside struct {
	sources []*signalSource
	// closed is true once nothing more is accepted.
	closed bool
}

// signalSource is a signal channel and what reads its payloads.
type signalSource struct {
	name    string
	channel workflow.ReceiveChannel
	read    func(converter.RawValue) (message, error)
}

// message is a payload that was read. A check decides about it without changing
// anything, and can find something else later; its commit cannot fail. An
// update's validator is the check alone, a signal runs both.
type message struct {
	check func(workflow.Context) (commit, error)
	// validation is what has to be validated before the message is taken, nil for
	// nothing; the function is nil where there never is anything.
	validation func() *validation
}

type commit func(ctx workflow.Context) contract.Receipt

// errEnding refuses what arrives while the run closes.
var errEnding = errors.New("the run is ending: nothing more is accepted")

// small is for payloads that can be read whenever they are decided about.
func small(check func(workflow.Context, converter.RawValue) (commit, error)) func(converter.RawValue) (message, error) {
	return func(payload converter.RawValue) (message, error) {
		return message{check: func(ctx workflow.Context) (commit, error) { return check(ctx, payload) }}, nil
	}
}

// listen registers everything that reaches a run from outside: queries,
// updates, signals.
func (r *run) listen(ctx workflow.Context) error {
	if err := r.answerQueries(ctx); err != nil {
		return err
	}
	checks := []*signalSource{
		{name: contract.ToolOutput, read: r.readAnswer},
		{name: contract.SettleApproval, read: small(r.checkApproval)},
		{name: contract.SendMessage, read: small(r.checkMessage)},
		{name: contract.ExtendBudget, read: small(r.checkExtend)},
		{name: contract.StopRun, read: small(r.checkStop)},
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
	return r.takeUpdates(ctx, &signalSource{name: contract.ClaimAction, read: small(r.checkClaim)})
}

// takeUpdates takes the updates of a name. The validator and the handler of an
// update are given the same payload in the same step: it is read once.
func (r *run) takeUpdates(ctx workflow.Context, in *signalSource) error {
	var last message
	var lastID string
	check := func(ctx workflow.Context, payload converter.RawValue) error {
		if r.outside.closed {
			return errEnding
		}
		m, err := in.read(payload)
		if err == nil {
			_, err = m.check(ctx)
		}
		if err != nil {
			return errors.New(short(err.Error()))
		}
		last, lastID = m, workflow.GetCurrentUpdateInfo(ctx).ID
		return nil
	}
	handler := func(ctx workflow.Context, payload converter.RawValue) (contract.Receipt, error) {
		m, read := last, lastID == workflow.GetCurrentUpdateInfo(ctx).ID
		if last, lastID = (message{}), ""; !read { // a replay does not validate
			var err error
			if m, err = in.read(payload); err != nil {
				return contract.Receipt{}, err
			}
		}
		commit, err := m.check(ctx)
		if err != nil { // it changed since the validator looked
			return contract.Receipt{}, err
		}
		r.execution.updates++
		receipt, err := r.take(ctx, m, commit)
		r.execution.answeredAt = workflow.GetInfo(ctx).GetCurrentHistoryLength()
		return receipt, err
	}
	return workflow.SetUpdateHandlerWithOptions(ctx, in.name, handler, workflow.UpdateHandlerOptions{Validator: check})
}

// take commits what was checked, an answer once it was validated.
func (r *run) take(ctx workflow.Context, m message, commit commit) (contract.Receipt, error) {
	if v := m.toValidate(); v != nil {
		return r.takeValidated(ctx, m, v)
	}
	return commit(ctx), nil
}

func (m message) toValidate() *validation {
	if m.validation == nil {
		return nil
	}
	return m.validation()
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
	m, err := in.read(payload)
	if err != nil {
		r.reject(ctx, in, err)
		return
	}
	commit, err := m.check(ctx)
	if err != nil {
		r.reject(ctx, in, err)
		return
	}
	v := m.toValidate()
	if v == nil {
		commit(ctx)
		return
	}
	workflow.Go(ctx, func(ctx workflow.Context) {
		if _, err := r.takeValidated(ctx, m, v); err != nil {
			r.reject(ctx, in, err)
		}
	})
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

// readObject decodes a payload, and says which field has the wrong type.
func readObject(data []byte, target any) error {
	if _, ok := tools.Object(data); !ok {
		return errors.New("the payload must be one JSON object")
	}
	err := json.Unmarshal(data, target)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Errorf("%s: must not be %s", wrong.Field, wrong.Value)
	}
	return err
}

// takeProgress publishes the partial results that workers report. What does
// not fit a running call is ignored: it is late, or nobody's.
func (r *run) takeProgress(ctx workflow.Context) {
	channel := workflow.GetSignalChannel(ctx, contract.SignalProgress)
	for {
		var payload converter.RawValue
		channel.Receive(ctx, &payload)
		r.execution.signals++
		var updates []contract.ProgressUpdate
		if json.Unmarshal(payload.Payload().GetData(), &updates) != nil {
			continue
		}
		for _, u := range updates {
			r.publish(ctx, u)
		}
	}
}

func (r *run) publish(ctx workflow.Context, u contract.ProgressUpdate) {
	if u.Round != r.Round || u.Index < 0 || u.Index >= len(r.Running) {
		return
	}
	c := r.Running[u.Index]
	if c.Settled() || !c.Started {
		return
	}
	if c.Update > 0 {
		r.Journal.Blank(c.Update)
	}
	c.Update = r.record(ctx, contract.Event{
		Type: contract.EventToolUpdate, ToolCallID: c.ID, Tool: c.Tool, Owner: c.Descriptor.Owner, Text: short(u.Text), Size: len(u.Text),
	})
}
