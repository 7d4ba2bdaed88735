package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/workflows/contract"
)

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
