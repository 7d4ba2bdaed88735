package workflows

import (
	"errors"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/workflows/contract"
)

// An answer to a call whose tool has an output_schema is vetted before it is
// taken: a local activity holds it against the schema. Meanwhile the call stays
// open, and other answers to it wait in the order that they came in, so that
// the first good one wins.

// vetting has the turns of every action whose answers are being vetted.
type vetting map[*action]*turns

// turns are numbers as a counter hands them out.
type turns struct{ taken, done int }

// vetted is an answer and the action that it is for.
type vetted struct {
	action *action
	answer contract.Answer
}

// unvetted tells whether a payload that would be taken has to be vetted first.
// A failure has no shape to keep, nor has an answer that changes nothing.
func (r *run) unvetted(in *signalSource, payload converter.RawValue) (vetted, bool) {
	if in.name != contract.ToolOutput {
		return vetted{}, false
	}
	a, _, err := readAnswer(payload.Payload().GetData())
	if err != nil || a.IsError {
		return vetted{}, false
	}
	act, err := r.ledger.findAction(a.ActionID, a.Call())
	if err != nil || act.call.settled() || act.call.tool.OutputSchema == nil {
		return vetted{}, false
	}
	return vetted{act, a}, true
}

// take commits what was checked, an answer once it was vetted.
func (r *run) take(ctx workflow.Context, in *signalSource, payload converter.RawValue, commit commit) (contract.Receipt, error) {
	if v, must := r.unvetted(in, payload); must {
		return r.takeVetted(ctx, in, payload, v)
	}
	return commit(ctx), nil
}

// takeVetted takes an answer once its turn has come and it was found to fit. It
// goes on while the run is being cancelled: then the call is settled, and the
// answer is told so.
func (r *run) takeVetted(ctx workflow.Context, in *signalSource, payload converter.RawValue, v vetted) (contract.Receipt, error) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	leave, err := r.outside.queueUp(ctx, v.action)
	if err != nil {
		return contract.Receipt{}, err
	}
	defer leave()
	if !v.action.call.settled() {
		if err := r.vet(ctx, v); err != nil {
			return contract.Receipt{}, err
		}
	}
	commit, err := in.check(ctx, payload) // it may have been settled meanwhile
	if err != nil {
		return contract.Receipt{}, err
	}
	return commit(ctx), nil
}

// queueUp waits until earlier answers to the action have been decided about.
func (i *outside) queueUp(ctx workflow.Context, act *action) (leave func(), err error) {
	if i.vetting == nil {
		i.vetting = vetting{}
	}
	t := i.vetting[act]
	if t == nil {
		t = &turns{}
		i.vetting[act] = t
	}
	number := t.taken
	t.taken++
	err = workflow.Await(ctx, func() bool { return t.done == number })
	return func() {
		if t.done++; t.done == t.taken {
			delete(i.vetting, act)
		}
	}, err
}

// vet holds an answer against the output schema of its tool. One that cannot be
// checked is taken: an answer is not lost to a fault of the machine.
func (r *run) vet(ctx workflow.Context, v vetted) error {
	tool := v.action.call.tool
	in := activities.CheckAnswerInput{Schema: tool.OutputSchema, Output: v.answer.Output}
	ctx = workflow.WithLocalActivityOptions(ctx, localOptions(summary("round %d · check the answer to %s", v.action.call.Round, tool.Identity())))
	found, err := performLocal(ctx, acts.CheckAnswer, in)
	switch {
	case err != nil:
		r.Report.Warn("the answer to " + v.action.id + " was not held against its schema: " + err.Error())
	case found.Reason != "":
		return temporal.NewApplicationError(short("the answer does not fit the output_schema of "+tool.Identity().String()+": "+found.Reason),
			contract.RefusedOutput)
	}
	return nil
}

// vets tells whether an answer to one of the calls is being vetted.
func (i *outside) vets(calls batch) bool {
	for _, c := range calls {
		if c.action != nil && i.vetting[c.action] != nil {
			return true
		}
	}
	return false
}

// decided tells whether everything that was received has been decided about, and
// whoever has to know of it was told.
func (r *run) decided(ctx workflow.Context) bool {
	return len(r.outside.vetting) == 0 && r.execution.telling == 0 && workflow.AllHandlersFinished(ctx)
}

// refusal is the text of an error without what the SDK puts around it.
func refusal(err error) string {
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return app.Message()
	}
	return err.Error()
}
