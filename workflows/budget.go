package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/activities/model"
	"errand/tools/item"
	"errand/workflows/contract"
)

// budgetReason tells whether a run that stops early for this reason could go
// on with a larger budget.
func budgetReason(reason string) bool {
	return reason == contract.ReasonMaxRounds || reason == contract.ReasonMaxTokens || reason == contract.ReasonMaxCost
}

// question is a wait for a larger budget.
type question struct {
	reason   string
	expiry   time.Time
	answered bool
	extended bool
}

// spend adds what an inference and the failed attempts before it have used.
func (r *report) spend(all ...*model.Spent) {
	sum := model.Spent{Usage: r.usage, Cost: r.cost}
	for _, one := range all {
		if one != nil {
			sum.Add(*one)
		}
	}
	r.usage, r.cost = sum.Usage, sum.Cost
}

// overspent is the budget of tokens or of money that is used up, or "".
func (r *run) overspent() string {
	o := r.request.Run
	switch {
	case o.MaxTokens > 0 && r.report.usage.TotalTokens >= int64(o.MaxTokens):
		return contract.ReasonMaxTokens
	case o.MaxCost > 0 && r.report.cost != nil && *r.report.cost >= o.MaxCost:
		return contract.ReasonMaxCost
	}
	return ""
}

// extended asks for a larger budget and waits; false when there is none to be
// had: the request does not ask, somebody declined, nobody answered in time,
// or the run was cancelled.
func (r *run) extended(ctx workflow.Context, reason string) bool {
	if r.request.Run.OnBudget != contract.BudgetAsk {
		return false
	}
	if r.asking == nil {
		r.asking = &question{reason: reason, expiry: r.expiry(ctx)}
		r.refresh(ctx)
		r.journal.add(ctx, contract.Event{Type: contract.EventBudgetAsked, Reason: reason})
	}
	q := r.asking
	open := func() bool { return !q.answered && !r.stopping.asked() }
	stop := r.expire(ctx, q)
	var err error
	for err == nil && open() && r.execution.leaving == nil {
		if err = ctx.Err(); err != nil { // Await looks at its condition first
			break
		}
		if err = workflow.Await(ctx, func() bool { return !open() || r.due(ctx) }); err == nil && open() {
			r.execution.leaving = r.leave(ctx, open)
		}
	}
	stop()
	if r.execution.leaving != nil {
		return false
	}
	r.askNoMore(ctx)
	return err == nil && q.extended
}

// askNoMore takes the question back.
func (r *run) askNoMore(ctx workflow.Context) {
	if r.asking != nil {
		r.asking = nil
		r.refresh(ctx)
	}
}

// expire closes a question that nobody has answered by the client's deadline.
// The returned function ends the watch and leaves no timer behind.
func (r *run) expire(ctx workflow.Context, q *question) (stop func()) {
	if q.expiry.IsZero() {
		return func() {}
	}
	ctx, cancel := workflow.WithCancel(ctx)
	timer := workflow.NewTimerWithOptions(ctx, q.expiry.Sub(workflow.Now(ctx)), workflow.TimerOptions{Summary: "deadline for a larger budget"})
	workflow.Go(ctx, func(ctx workflow.Context) {
		if timer.Get(ctx, nil) == nil {
			q.answered = true
		}
	})
	return cancel
}

// checkExtend decides about a larger budget. It may come before the run asks.
func (r *run) checkExtend(_ workflow.Context, payload converter.RawValue) (commit, error) {
	var e contract.Extend
	if err := readObject(payload.Payload().GetData(), &e); err != nil {
		return nil, err
	}
	o := r.request.Run
	if e.Decline {
		switch {
		case e.MaxRounds != 0 || e.MaxTokens != 0 || e.MaxCost != nil:
			return nil, errors.New("decline: leave it out, or leave the limits out")
		case r.asking == nil:
			return nil, errors.New("decline: the run does not ask for a larger budget")
		}
		return func(ctx workflow.Context) contract.Receipt { return r.decline(ctx, e) }, nil
	}
	if e.MaxRounds == 0 && e.MaxTokens == 0 && e.MaxCost == nil {
		return nil, errors.New("max_rounds, max_tokens or max_cost: one is required, or decline")
	}
	if err := errors.Join(
		extends("max_rounds", int64(e.MaxRounds), int64(o.MaxRounds), fmt.Sprint(o.MaxRounds)),
		extends("max_tokens", int64(e.MaxTokens), int64(o.MaxTokens), fmt.Sprint(o.MaxTokens)),
		extendsCost(e.MaxCost, o.MaxCost),
	); err != nil {
		return nil, err
	}
	if e.MaxRounds > contract.MaxRounds {
		return nil, fmt.Errorf("max_rounds: must be at most %d", contract.MaxRounds)
	}
	return func(ctx workflow.Context) contract.Receipt { return r.extend(ctx, e) }, nil
}

func extendsCost(wanted *item.Cost, limit item.Cost) error {
	if wanted == nil {
		return nil
	}
	return extends("max_cost", int64(*wanted), int64(limit), limit.String())
}

// extends refuses a limit that is lower than the one there is, and one where
// there is none. 0 is none wanted.
func extends(field string, wanted, limit int64, shown string) error {
	switch {
	case wanted == 0 && field != "max_cost":
		return nil
	case limit == 0:
		return fmt.Errorf("%s: the run has no such limit", field)
	case wanted < limit:
		return fmt.Errorf("%s: must not be less than the limit of the run, %s", field, shown)
	}
	return nil
}

// extend sets the new limits. A run that asks goes on if it may now: otherwise
// it asks again.
func (r *run) extend(ctx workflow.Context, e contract.Extend) contract.Receipt {
	o := &r.request.Run
	before := *o
	o.MaxRounds, o.MaxTokens = max(o.MaxRounds, e.MaxRounds), max(o.MaxTokens, e.MaxTokens)
	if e.MaxCost != nil {
		o.MaxCost = *e.MaxCost
	}
	if o.MaxRounds == before.MaxRounds && o.MaxTokens == before.MaxTokens && o.MaxCost == before.MaxCost {
		return contract.Receipt{ID: contract.ExtendBudget, Status: statusExtended, Repeated: true}
	}
	r.journal.add(ctx, contract.Event{Type: contract.EventBudgetSettled, Status: statusExtended, Actor: short(e.Actor), Reason: short(e.Reason)})
	if r.asking != nil {
		r.asking.answered, r.asking.extended = true, true
	}
	return contract.Receipt{ID: contract.ExtendBudget, Status: statusExtended}
}

func (r *run) decline(ctx workflow.Context, e contract.Extend) contract.Receipt {
	r.journal.add(ctx, contract.Event{Type: contract.EventBudgetSettled, Status: statusDeclined, Actor: short(e.Actor), Reason: short(e.Reason)})
	r.asking.answered = true
	return contract.Receipt{ID: contract.ExtendBudget, Status: statusDeclined}
}

const (
	statusExtended = "extended"
	statusDeclined = "declined"
)
