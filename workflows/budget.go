package workflows

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/tools"
	"errand/tools/item"
)

// OnBudget says what happens to a run whose budget is used up while its model
// would go on.
type OnBudget string

const (
	// BudgetStop ends the run incomplete.
	BudgetStop OnBudget = "stop"
	// BudgetAsk waits for a person to extend the budget, or to decline.
	BudgetAsk OnBudget = "ask"
)

// budgetReason tells whether a run that stops early for this reason could go
// on with a larger budget.
func budgetReason(reason string) bool {
	return reason == ReasonMaxRounds || reason == ReasonMaxTokens || reason == ReasonMaxCost
}

// question is a wait for a larger budget.
type question struct {
	reason   string
	expiry   time.Time
	answered bool
	extended bool
}

// OpenBudget is the question in the answer to the query status.
type OpenBudget struct {
	// Reason is the budget that is used up: max_rounds, max_tokens or max_cost.
	Reason string `json:"reason"`
	// ExpiresAt is the deadline of client_timeout; absent when there is none.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// spend adds what an inference and the failed attempts before it have used.
func (r *report) spend(all ...*activities.Spent) {
	sum := activities.Spent{Usage: r.usage, Cost: r.cost}
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
		return ReasonMaxTokens
	case o.MaxCost > 0 && r.report.cost != nil && *r.report.cost >= o.MaxCost:
		return ReasonMaxCost
	}
	return ""
}

// extended asks for a larger budget and waits; false when there is none to be
// had: the request does not ask, somebody declined, nobody answered in time,
// or the run was cancelled.
func (r *run) extended(ctx workflow.Context, reason string) bool {
	if r.request.Run.OnBudget != BudgetAsk {
		return false
	}
	if r.asking == nil {
		r.asking = &question{reason: reason, expiry: r.expiry(ctx)}
		r.refresh(ctx)
		r.journal.add(ctx, Event{Type: EventBudgetAsked, Reason: reason})
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

// Extend is the payload of extend: the new limits of the run, or that there is
// to be no larger budget. Limits that are left out stay.
type Extend struct {
	MaxRounds int        `json:"max_rounds,omitempty"`
	MaxTokens int        `json:"max_tokens,omitempty"`
	MaxCost   *item.Cost `json:"max_cost,omitempty"`
	// Decline ends a run that asks for a larger budget.
	Decline bool   `json:"decline,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Actor   string `json:"actor,omitempty"`
}

// checkExtend decides about a larger budget. It may come before the run asks.
func (r *run) checkExtend(_ workflow.Context, payload converter.RawValue) (commit, error) {
	var e Extend
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
		return func(ctx workflow.Context) Receipt { return r.decline(ctx, e) }, nil
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
	if e.MaxRounds > maxRounds {
		return nil, fmt.Errorf("max_rounds: must be at most %d", maxRounds)
	}
	return func(ctx workflow.Context) Receipt { return r.extend(ctx, e) }, nil
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
func (r *run) extend(ctx workflow.Context, e Extend) Receipt {
	o := &r.request.Run
	before := *o
	o.MaxRounds, o.MaxTokens = max(o.MaxRounds, e.MaxRounds), max(o.MaxTokens, e.MaxTokens)
	if e.MaxCost != nil {
		o.MaxCost = *e.MaxCost
	}
	if o.MaxRounds == before.MaxRounds && o.MaxTokens == before.MaxTokens && o.MaxCost == before.MaxCost {
		return Receipt{ID: ExtendBudget, Status: statusExtended, Repeated: true}
	}
	r.journal.add(ctx, Event{Type: EventBudgetSettled, Status: statusExtended, Actor: short(e.Actor), Reason: short(e.Reason)})
	if r.asking != nil {
		r.asking.answered, r.asking.extended = true, true
	}
	return Receipt{ID: ExtendBudget, Status: statusExtended}
}

func (r *run) decline(ctx workflow.Context, e Extend) Receipt {
	r.journal.add(ctx, Event{Type: EventBudgetSettled, Status: statusDeclined, Actor: short(e.Actor), Reason: short(e.Reason)})
	r.asking.answered = true
	return Receipt{ID: ExtendBudget, Status: statusDeclined}
}

const (
	statusExtended = "extended"
	statusDeclined = "declined"
)

// decodeBudget reads the budgets of run.
func (o *Options) decodeBudget(fields map[string]json.RawMessage, faults *tools.Faults) {
	numberField(fields, "max_tokens", &o.MaxTokens, 0, maxTokens, faults)
	tools.Field(fields, "run", "max_cost", &o.MaxCost, "an amount of money, such as 0.5", faults)
	choiceField(fields, "on_budget", &o.OnBudget, []OnBudget{BudgetStop, BudgetAsk}, faults)
}

const (
	maxRounds = 1_000_000
	// maxTokens bounds max_tokens: more than any run can use.
	maxTokens = 1_000_000_000_000
)
