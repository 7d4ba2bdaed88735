package show

import (
	"fmt"

	"errand/workflows/contract"
)

// aside is the line of an event that is not about a message or a call.
func (p *Progress) aside(e contract.Event) string {
	mark := p.Paint.Dim("·")
	switch e.Type { //nolint:exhaustive // those of messages and calls have lines of their own
	case contract.EventListTools:
		return fmt.Sprintf("  %s tools of %s: %s%s", mark, Line(e.Server), Line(e.Status), because(e.Reason))
	case contract.EventCompaction:
		return fmt.Sprintf("  %s conversation made shorter for the model%s", mark, because(e.Reason))
	case contract.EventBudgetAsked:
		return fmt.Sprintf("  %s the budget is used up (%s): waits for a larger one", p.Paint.Wait("?"), Line(e.Reason))
	case contract.EventBudgetSettled:
		return fmt.Sprintf("  %s budget %s%s%s", mark, Line(e.Status), by(e.Actor), because(e.Reason))
	}
	return fmt.Sprintf("  %s %s", mark, Line(string(e.Type)))
}
