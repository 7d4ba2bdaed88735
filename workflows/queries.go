package workflows

import (
	"encoding/json"
	"time"

	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/workflows/contract"
)

const (
	defaultEvents = 500
	maxEvents     = 1000
)

// answerQueries registers the queries. They are free: nothing enters history.
func (r *run) answerQueries(ctx workflow.Context) error {
	handlers := []struct {
		name    string
		handler any
	}{
		{contract.QueryStatus, func() (contract.StatusReport, error) { return r.statusAt(workflow.Now(ctx)), nil }},
		{contract.QueryEvents, r.eventsPage},
		{contract.QueryConversation, func(q contract.PageQuery) (contract.ItemsPage, error) {
			items, next := page(r.Conversation.Items, q)
			return contract.ItemsPage{Items: items, Next: next, Done: next >= len(r.Conversation.Items)}, nil
		}},
		{contract.QueryTraces, func(q contract.PageQuery) (contract.TracesPage, error) {
			traces, next := page(r.Report.Traces, q)
			return contract.TracesPage{Traces: traces, Next: next, Done: next >= len(r.Report.Traces)}, nil
		}},
		{contract.QuerySurface, r.surfacePage},
	}
	for _, h := range handlers {
		if err := workflow.SetQueryHandler(ctx, h.name, h.handler); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) eventsPage(q contract.EventsQuery) (contract.EventsPage, error) {
	limit := q.Limit
	if limit <= 0 {
		limit = defaultEvents
	}
	return r.Journal.Page(q.After, min(limit, maxEvents)), nil
}

func (r *run) surfacePage(q contract.PageQuery) (contract.SurfacePage, error) {
	text := r.surface.Text
	from := min(max(q.From, 0), len(text))
	end := min(from+contract.MaxPageSize/2, len(text)) // JSON text doubles when it is quoted
	for end < len(text) && !runeStart(text[end]) {
		end--
	}
	return contract.SurfacePage{Text: text[from:end], Next: end, Done: end == len(text)}, nil
}

func runeStart(b byte) bool { return b&0xC0 != 0x80 }

// page returns entries from q.From on, at least one if there is one, within
// the bytes asked for.
func page[T any](all []T, q contract.PageQuery) ([]T, int) {
	limit := q.MaxBytes
	if limit <= 0 || limit > contract.MaxPageSize {
		limit = contract.MaxPageSize
	}
	next := min(max(q.From, 0), len(all))
	some := []T{}
	for used := 0; next < len(all); next++ {
		used += tools.ElementSize(all[next])
		if used > limit && len(some) > 0 {
			break
		}
		some = append(some, all[next])
	}
	return some, next
}

// statusAt is the answer to the query status.
func (r *run) statusAt(now time.Time) contract.StatusReport {
	report := contract.StatusReport{
		RunID: r.id, Status: r.Report.Status, Round: r.Round, Usage: r.Budget.Usage,
		LastError: r.Report.LastError, Events: r.Journal.Last(), Rejected: r.Journal.Rejected, Items: len(r.Conversation.Items),
		Actions: []contract.OpenAction{}, Approvals: []contract.OpenApproval{},
	}
	report.Cost = r.Budget.Cost
	if q := r.Budget.Asking; q != nil {
		report.Budget = &contract.OpenBudget{Reason: q.Reason, ExpiresAt: q.Expiry}
	}
	report.Sessions, report.Stop = r.holdings.report(), r.Stopped
	room := contract.MaxPageSize
	for _, a := range r.Ledger.OpenActions() {
		if room -= tools.EncodedSize(r.manifest(a)) + 500; room < 0 && len(report.Actions) > 0 {
			report.ActionsLeftOut++
			continue
		}
		open := contract.OpenAction{Manifest: r.manifest(a), ExpiresAt: a.Call().Expiry}
		open.Status, open.Owner = a.Current(now)
		if open.Owner != "" {
			open.LeaseUntil = a.Lease
		}
		report.Actions = append(report.Actions, open)
	}
	for _, p := range r.Ledger.OpenApprovals() {
		if room -= tools.EncodedSize(json.RawMessage(p.Call().Arguments)) + 1500; room < 0 && len(report.Approvals) > 0 {
			report.ActionsLeftOut++
			continue
		}
		report.Approvals = append(report.Approvals, contract.OpenApproval{
			ApprovalRequestID: p.ID, ToolCallID: p.Call().ID, Tool: p.Call().Tool,
			Args: json.RawMessage(p.Call().Arguments), Reason: p.Reason, ExpiresAt: p.Call().Expiry,
		})
	}
	return report
}
