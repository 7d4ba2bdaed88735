package workflows

import (
	"errors"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

// What clients and people say about calls: answers, claims, approvals.

// readAnswer reads a tool_output. It can be large, and is decided about more
// than once.
func (r *run) readAnswer(payload converter.RawValue) (message, error) {
	var given contract.Answer
	if err := readObject(payload.Payload().GetData(), &given); err != nil {
		return message{}, err
	}
	a, err := actions.ReadAnswer(given)
	if err != nil {
		return message{}, err
	}
	return message{
		check:      func(workflow.Context) (commit, error) { return r.checkAnswer(a) },
		validation: func() *validation { return r.validationOf(a) },
	}, nil
}

// checkAnswer decides about an answer.
func (r *run) checkAnswer(a actions.Answer) (commit, error) {
	act, repeated, err := r.Ledger.CheckAnswer(a)
	if err != nil {
		return nil, err
	}
	return func(ctx workflow.Context) contract.Receipt {
		if !repeated {
			act.Take(a)
			r.settle(ctx, act.Call(), r.answered(act.Call(), a))
		}
		return contract.Receipt{ID: act.ID, Status: string(act.Status), Repeated: repeated}
	}, nil
}

// answered is the outcome of a call with a client's answer.
func (r *run) answered(c *actions.Call, a actions.Answer) tools.Outcome {
	o := tools.Outcome{Status: tools.Succeeded}
	if a.IsError {
		o.Status, o.ErrorType = tools.Failed, tools.ErrExecutionFailed
	}
	o.Output, o.FullSize = tools.Cut(a.Text, r.answerRoom(c))
	return o
}

// checkClaim decides about a claim.
func (r *run) checkClaim(ctx workflow.Context, payload converter.RawValue) (commit, error) {
	var c contract.Claim
	if err := readObject(payload.Payload().GetData(), &c); err != nil {
		return nil, err
	}
	act, lease, err := r.Ledger.CheckClaim(c, workflow.Now(ctx))
	if err != nil {
		return nil, err
	}
	return func(ctx workflow.Context) contract.Receipt {
		act.Claim(c.Owner, workflow.Now(ctx).Add(lease))
		r.showDetails(ctx)
		return contract.Receipt{ID: act.ID, Status: string(act.Status)}
	}, nil
}

// checkApproval decides about a person's answer.
func (r *run) checkApproval(_ workflow.Context, payload converter.RawValue) (commit, error) {
	var a contract.Approval
	if err := readObject(payload.Payload().GetData(), &a); err != nil {
		return nil, err
	}
	p, repeated, err := r.Ledger.CheckApproval(a)
	if err != nil {
		return nil, err
	}
	return func(ctx workflow.Context) contract.Receipt {
		if !repeated {
			r.decideApproval(ctx, p, a)
		}
		return contract.Receipt{ID: p.ID, Status: p.Verdict(), Repeated: repeated}
	}, nil
}

func (r *run) decideApproval(ctx workflow.Context, p *actions.Approval, a contract.Approval) {
	c := p.Call()
	r.Ledger.Decide(p, *a.Approve)
	r.record(ctx, contract.Event{
		Type: contract.EventApprovalSettled, ToolCallID: c.ID, Tool: c.Tool, ApprovalID: p.ID,
		Status: p.Verdict(), Actor: short(a.Actor), Reason: short(a.Reason),
	})
	if !p.Approved {
		r.settle(ctx, c, tools.Fail(tools.Denied, tools.ErrBlocked, denial(a)))
	}
	r.refresh(ctx)
}

func denial(a contract.Approval) string {
	text := "the call was denied"
	if a.Actor != "" {
		text += " by " + a.Actor
	}
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	return short(text)
}

// An answer to a call whose tool has an output_schema is validated before it is
// taken: a local activity holds it against the schema. Meanwhile the call stays
// open, and other answers to it wait for their turn.

// validation is an answer that has to be validated, and the action that it is
// for.
type validation struct {
	action *actions.Action
	answer actions.Answer
}

// validationOf is the validation that an answer needs; nil for none. A failure
// has no shape to keep, nor has an answer that changes nothing.
func (r *run) validationOf(a actions.Answer) *validation {
	if a.IsError {
		return nil
	}
	act, err := r.Ledger.Find(a.ActionID, a.Call())
	if err != nil || act.Settled() || act.Call().Descriptor.OutputSchema == nil {
		return nil
	}
	return &validation{act, a}
}

// takeValidated takes an answer once its turn has come and it was found to fit.
// It goes on while the run is being cancelled: then the call is settled, and
// whoever answers is told so.
func (r *run) takeValidated(ctx workflow.Context, m message, v *validation) (contract.Receipt, error) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	turn := r.validating.Take(v.action)
	if err := workflow.Await(ctx, func() bool { return r.validating.Has(v.action, turn) }); err != nil {
		return contract.Receipt{}, err
	}
	defer r.validating.Done(v.action)
	if !v.action.Settled() {
		if err := r.validateAnswer(ctx, v); err != nil {
			return contract.Receipt{}, err
		}
	}
	commit, err := m.check(ctx) // the call may have been settled meanwhile
	if err != nil {
		return contract.Receipt{}, err
	}
	return commit(ctx), nil
}

// validateAnswer holds an answer against the output schema of its tool. One that
// cannot be checked is taken: an answer is not lost to a fault of the machine.
func (r *run) validateAnswer(ctx workflow.Context, v *validation) error {
	c := v.action.Call()
	tool := c.Descriptor
	in := activities.CheckAnswerInput{Schema: tool.OutputSchema, Output: v.answer.Output}
	ctx = workflow.WithLocalActivityOptions(ctx, localOptions(summary("round %d · check the answer to %s", c.Round, tool.Identity())))
	found, err := performLocal(ctx, acts.CheckAnswer, in)
	switch {
	case err != nil:
		r.Report.Warn("the answer to " + v.action.ID + " was not held against its schema: " + err.Error())
	case found.Reason != "":
		return temporal.NewApplicationError(short("the answer does not fit the output_schema of "+tool.Identity().String()+": "+found.Reason),
			contract.RefusedOutput)
	}
	return nil
}

// decided tells whether everything that was received has been decided about, and
// whoever has to know of it was told.
func (r *run) decided(ctx workflow.Context) bool {
	return r.validating.Empty() && r.execution.telling == 0 && workflow.AllHandlersFinished(ctx)
}

// refusal is the text of an error without what the SDK puts around it.
func refusal(err error) string {
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return app.Message()
	}
	return err.Error()
}
