package activities

import (
	"fmt"

	"errand/tools"
)

// Budget is what the gateway-owned calls of a run may still use. Client-owned
// calls cost nothing.
type Budget struct {
	// Calls is what is left of max_tool_calls; negative is no bound.
	Calls int `json:"calls"`
	// Used counts the calls of tools that have a bound of their own, by
	// identity.
	Used map[string]int `json:"used,omitempty"`
}

// spent says why a call does not fit any more; empty when it does.
func (b *Budget) spent(d tools.Descriptor) string {
	switch {
	case d.Owner != tools.OwnedByGateway:
		return ""
	case b.Calls == 0:
		return "the run's max_tool_calls is used up: this call was not run; answer with what you have"
	case d.MaxUses > 0 && b.Used[d.Identity().String()] >= d.MaxUses:
		return fmt.Sprintf("%s may be used %d times in a run (max_uses): this call was not run; answer with what you have",
			d.Name, d.MaxUses)
	}
	return ""
}

// take counts a call that was let through.
func (b *Budget) take(d tools.Descriptor) {
	if d.Owner != tools.OwnedByGateway {
		return
	}
	if b.Calls > 0 {
		b.Calls--
	}
	if d.MaxUses > 0 {
		if b.Used == nil {
			b.Used = map[string]int{}
		}
		b.Used[d.Identity().String()]++
	}
}
