package show

import (
	"fmt"
	"strings"
	"time"

	"errand/tools"
	"errand/workflows/contract"
)

// Progress turns the events of one run into lines. It remembers when calls
// started, so give it the events in order.
type Progress struct {
	Paint Paint
	// Brief leaves out what is told again soon after: where a result stands in
	// the conversation, and the end of a run that did not complete.
	Brief bool
	// Clock puts the time of each event before its line, in this zone; nil
	// leaves it out.
	Clock *time.Location

	started time.Time
	calls   map[callKey]time.Time
}

// callKey names a call: ids repeat from round to round.
type callKey struct {
	round int
	id    string
}

// Line is what an event looks like; empty for one that says nothing to people.
func (p *Progress) Line(e contract.Event) string {
	text := p.text(e)
	if text == "" || p.Clock == nil {
		return text
	}
	return p.Paint.Dim(e.At.In(p.Clock).Format("15:04:05")) + "  " + text
}

func (p *Progress) text(e contract.Event) string {
	paint := p.Paint
	switch e.Type {
	case contract.EventRunStart:
		p.started = e.At
		return "run started"
	case contract.EventRoundStart:
		return paint.Bold(fmt.Sprintf("round %d", e.Round))
	case contract.EventMessage:
		return fmt.Sprintf("  %s message, %s", paint.Dim("·"), Size(e.Size))
	case contract.EventToolStart:
		return p.start(e)
	case contract.EventToolUpdate:
		return fmt.Sprintf("  %s %s %s", paint.Dim("…"), p.call(e), Line(e.Text))
	case contract.EventManifest:
		return fmt.Sprintf("  %s %s waits for an answer: %s", paint.Wait("?"), p.call(e), Line(e.ActionID))
	case contract.EventApprovalAsked:
		return fmt.Sprintf("  %s %s waits for approval: %s%s", paint.Wait("?"), p.call(e), Line(e.ApprovalID), because(e.Reason))
	case contract.EventApprovalSettled:
		return fmt.Sprintf("  %s %s %s%s%s", paint.Dim("·"), p.call(e), Line(e.Status), by(e.Actor), because(e.Reason))
	case contract.EventToolEnd:
		return p.end(e)
	case contract.EventToolResult:
		if p.Brief {
			return ""
		}
		return p.result(e)
	case contract.EventRejected:
		return fmt.Sprintf("  %s rejected%s", paint.Bad("!"), because(e.Reason))
	case contract.EventActivation:
		return fmt.Sprintf("  %s %s %s%s", paint.Dim("·"), paint.Name(Line(e.Source)), Line(e.Status), because(e.Reason))
	case contract.EventRelease:
		if e.Reason != "" {
			return fmt.Sprintf("  %s %s was not closed%s", paint.Bad("!"), paint.Name(Line(e.Source)), because(e.Reason))
		}
		return fmt.Sprintf("  %s %s closed", paint.Dim("·"), paint.Name(Line(e.Source)))
	case contract.EventStop:
		return fmt.Sprintf("  %s stop %s%s%s", paint.Wait("!"), strings.ReplaceAll(Line(e.Status), "_", " "), by(e.Actor), because(e.Reason))
	case contract.EventRoundEnd:
		return ""
	case contract.EventRunEnd:
		if p.Brief && e.Status != string(contract.Completed) {
			return ""
		}
		return p.over(e)
	default:
		return p.aside(e)
	}
}

func by(actor string) string {
	if actor == "" {
		return ""
	}
	return " by " + Line(actor)
}

// call names a call as "tool (id)".
func (p *Progress) call(e contract.Event) string {
	name := p.Paint.Name(Line(e.Tool))
	if e.ToolCallID == "" {
		return name
	}
	return name + p.Paint.Dim(" ("+Line(e.ToolCallID)+")")
}

// largeArguments is from where on their size is worth telling.
const largeArguments = 1 << 10

func (p *Progress) start(e contract.Event) string {
	if p.calls == nil {
		p.calls = map[callKey]time.Time{}
	}
	p.calls[callKey{e.Round, e.ToolCallID}] = e.At
	text := fmt.Sprintf("  %s %s", p.Paint.Dim("→"), p.call(e))
	if e.Size >= largeArguments {
		text += ", arguments " + Size(e.Size)
	}
	if e.Owner == tools.OwnedByClient {
		text += ", for the client"
	}
	return text
}

func (p *Progress) end(e contract.Event) string {
	mark := p.Paint.Bad("✗")
	if e.Status == string(tools.Succeeded) {
		mark = p.Paint.Good("✓")
	}
	details := []string{Size(e.Size)}
	if e.ErrorType != "" {
		details = append([]string{Line(e.ErrorType)}, details...)
	}
	key := callKey{e.Round, e.ToolCallID}
	if started, known := p.calls[key]; known {
		details = append(details, Duration(e.At.Sub(started)))
		delete(p.calls, key)
	}
	return fmt.Sprintf("  %s %s %s: %s", mark, p.call(e), p.Paint.Status(Line(e.Status)), strings.Join(details, ", "))
}

func (p *Progress) result(e contract.Event) string {
	place := ""
	if e.Item != nil {
		place = fmt.Sprintf(" is item %d", *e.Item)
	}
	return fmt.Sprintf("  %s result of %s%s", p.Paint.Dim("←"), p.call(e), place)
}

func (p *Progress) over(e contract.Event) string {
	took := ""
	if !p.started.IsZero() {
		took = " after " + Duration(e.At.Sub(p.started))
	}
	return fmt.Sprintf("run %s%s%s", p.Paint.Status(Line(e.Status)), took, because(e.Reason))
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + Line(reason)
}

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
