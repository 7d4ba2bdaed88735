package worker

import "errand/activities"

// price is what the tokens of a model cost.
func (c Config) price(model string) (activities.Price, bool) {
	for _, p := range c.Prices {
		if serves(p.Match, model) {
			return activities.Price{Input: p.Input, CachedInput: p.CachedInput, Output: p.Output}, true
		}
	}
	return activities.Price{}, false
}
