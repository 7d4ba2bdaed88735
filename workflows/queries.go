package workflows

import (
	"encoding/json"
	"time"

	"go.temporal.io/sdk/temporal"
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
	report.Sessions, report.Stop = r.Sessions.report(), r.Stopped
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

// StatusKey and PendingKey are the typed keys of the search attributes.
var (
	StatusKey  = temporal.NewSearchAttributeKeyKeyword(contract.AttributeStatus)
	PendingKey = temporal.NewSearchAttributeKeyInt64(contract.AttributePending)
)

// attributes are the search attributes that the run has, and what they say.
type attributes struct {
	hasStatus, hasPending bool
	status                contract.Status
	pending               int
}

// readAttributes looks what the run was started, or continued, with.
func readAttributes(ctx workflow.Context) attributes {
	var a attributes
	given := workflow.GetTypedSearchAttributes(ctx)
	status, hasStatus := given.GetKeyword(StatusKey)
	pending, hasPending := given.GetInt64(PendingKey)
	a.hasStatus, a.status = hasStatus, contract.Status(status)
	a.hasPending, a.pending = hasPending, int(pending)
	return a
}

// some tells whether there is anything to keep up to date.
func (a attributes) some() bool { return a.hasStatus || a.hasPending }

// updates are what it takes to have the attributes say this.
func (a *attributes) updates(status contract.Status, pending int) []temporal.SearchAttributeUpdate {
	var updates []temporal.SearchAttributeUpdate
	if a.hasStatus && a.status != status {
		a.status = status
		updates = append(updates, StatusKey.ValueSet(string(status)))
	}
	if a.hasPending && a.pending != pending {
		a.pending = pending
		updates = append(updates, PendingKey.ValueSet(int64(pending)))
	}
	return updates
}

// keepAttributes follows the run in a coroutine of its own, so that all that
// happens in one workflow task makes one event at most.
func (r *run) keepAttributes(ctx workflow.Context) {
	if !r.attributes.some() {
		return
	}
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			changed := func() bool {
				next := r.attributes
				return len(next.updates(r.Report.Status, r.pending())) > 0
			}
			if workflow.Await(ctx, changed) != nil {
				return
			}
			r.showAttributes(ctx)
		}
	})
}

// showAttributes writes what has changed; nothing has no event.
func (r *run) showAttributes(ctx workflow.Context) {
	updates := r.attributes.updates(r.Report.Status, r.pending())
	if len(updates) == 0 {
		return
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, updates...); err != nil {
		workflow.GetLogger(ctx).Error("search attributes were not written", "error", err)
	}
}

// pending counts what the run waits for from outside: calls, approvals, and a
// question for a larger budget.
func (r *run) pending() int {
	n := r.Ledger.Pending()
	if r.Budget.Asking != nil {
		n++
	}
	return n
}
