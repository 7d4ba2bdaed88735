package activities

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

// priced tells whether the price of a model is known.
func (a *Activities) priced(model string) bool {
	if a.price == nil {
		return false
	}
	_, known := a.price(model)
	return known
}

// spent prices a usage; nil is none reported.
func (a *Activities) spent(model string, u *item.Usage) *Spent {
	if u == nil {
		return nil
	}
	s := &Spent{Usage: *u}
	if a.priced(model) {
		price, _ := a.price(model)
		cost := price.Of(*u)
		s.Cost = &cost
	}
	return s
}
