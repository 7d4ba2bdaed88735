// Package budget keeps what a run has used, and decides about a larger budget.
package budget

import (
	"errors"
	"fmt"
	"time"

	"errand/activities/model"
	"errand/tools/item"
	"errand/workflows/contract"
)

// Budget is what the inferences of a run have used, those that failed too.
type Budget struct {
	Usage item.Usage `json:"usage,omitzero"`
	// Cost is nil where no price is known.
	Cost *item.Cost `json:"cost,omitempty"`
	// Asking is the wait for a larger budget; nil unless there is one.
	Asking *Question `json:"asking,omitempty"`
}

// Question is a wait for a larger budget.
type Question struct {
	Reason string `json:"reason"`
	// Expiry is until when it can be answered; zero is for ever.
	Expiry   time.Time `json:"expiry,omitzero"`
	Answered bool      `json:"answered,omitempty"`
	Extended bool      `json:"extended,omitempty"`
}

// CanExtend tells whether a run that stops early for this reason could go on
// with a larger budget.
func CanExtend(reason string) bool {
	return reason == contract.ReasonMaxRounds || reason == contract.ReasonMaxTokens || reason == contract.ReasonMaxCost
}

// Spend adds what an inference and the failed attempts before it have used.
func (b *Budget) Spend(all ...*model.Spent) {
	sum := model.Spent{Usage: b.Usage, Cost: b.Cost}
	for _, one := range all {
		if one != nil {
			sum.Add(*one)
		}
	}
	b.Usage, b.Cost = sum.Usage, sum.Cost
}

// Overspent is the budget of tokens or of money that is used up, or "".
func (b *Budget) Overspent(o contract.RunOptions) string {
	switch {
	case o.MaxTokens > 0 && b.Usage.TotalTokens >= int64(o.MaxTokens):
		return contract.ReasonMaxTokens
	case o.MaxCost > 0 && b.Cost != nil && *b.Cost >= o.MaxCost:
		return contract.ReasonMaxCost
	}
	return ""
}

// Check says what is wrong with an answer to a question for a larger budget. It
// may come before the run asks.
func (b *Budget) Check(e contract.Extend, o contract.RunOptions) error {
	none := e.MaxRounds == 0 && e.MaxTokens == 0 && e.MaxCost == nil
	switch {
	case e.Decline && !none:
		return errors.New("decline: leave it out, or leave the limits out")
	case e.Decline && b.Asking == nil:
		return errors.New("decline: the run does not ask for a larger budget")
	case e.Decline:
		return nil
	case none:
		return errors.New("max_rounds, max_tokens or max_cost: one is required, or decline")
	}
	if err := errors.Join(
		extends("max_rounds", int64(e.MaxRounds), int64(o.MaxRounds), fmt.Sprint(o.MaxRounds)),
		extends("max_tokens", int64(e.MaxTokens), int64(o.MaxTokens), fmt.Sprint(o.MaxTokens)),
		extendsCost(e.MaxCost, o.MaxCost),
	); err != nil {
		return err
	}
	if e.MaxRounds > contract.MaxRounds {
		return fmt.Errorf("max_rounds: must be at most %d", contract.MaxRounds)
	}
	return nil
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

// Raise sets the new limits, which Check has let pass, and tells whether that
// changed any.
func Raise(o *contract.RunOptions, e contract.Extend) bool {
	rounds, tokens, cost := max(o.MaxRounds, e.MaxRounds), max(o.MaxTokens, e.MaxTokens), o.MaxCost
	if e.MaxCost != nil {
		cost = *e.MaxCost
	}
	changed := rounds != o.MaxRounds || tokens != o.MaxTokens || cost != o.MaxCost
	o.MaxRounds, o.MaxTokens, o.MaxCost = rounds, tokens, cost
	return changed
}

// Answer gives the question, if there is one, its answer.
func (b *Budget) Answer(extended bool) {
	if b.Asking != nil {
		b.Asking.Answered, b.Asking.Extended = true, extended
	}
}
