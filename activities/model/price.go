package model

import "errand/tools/item"

// Price is what a model's tokens cost, per million, in the currency of the
// worker's configuration.
type Price struct {
	Input float64
	// CachedInput is for input tokens that the model's server had kept; they are
	// among the input tokens and are not paid twice.
	CachedInput float64
	Output      float64
}

// Of is the cost of a usage.
func (p Price) Of(u item.Usage) item.Cost {
	var cached int64
	if u.Input != nil {
		cached = min(max(u.Input.CachedTokens, 0), u.InputTokens)
	}
	amount := float64(u.InputTokens-cached)*p.Input + float64(cached)*p.CachedInput + float64(u.OutputTokens)*p.Output
	cost, _ := item.CostOf(amount / 1e6)
	return cost
}

// Spent is what inferences have used.
type Spent struct {
	Usage item.Usage `json:"usage"`
	// Cost is nil where the worker knows no price for the model.
	Cost *item.Cost `json:"cost,omitempty"`
}

// Add sums one more inference, or the sum of others.
func (s *Spent) Add(more Spent) {
	s.Usage.Add(&more.Usage)
	if more.Cost == nil {
		return
	}
	sum := *more.Cost
	if s.Cost != nil {
		sum += *s.Cost
	}
	s.Cost = &sum
}

// Plus is the sum with what one more inference has used; nil is nothing. The
// receiver is not changed.
func (s *Spent) Plus(more *Spent) *Spent {
	if more == nil {
		return s
	}
	var sum Spent
	if s != nil {
		sum.Add(*s)
	}
	sum.Add(*more)
	return &sum
}
