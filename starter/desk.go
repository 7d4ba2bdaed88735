package starter

import (
	"context"
	"errors"
	"time"

	"errand/workflows/contract"
)

var errSettledElsewhere = errors.New("settled by somebody else")

// desk is what Serve knows of the calls and approvals of a run, by action id
// and approval id: what is open, what is being worked on, what is to be left
// alone, for ever or until some time. One goroutine uses it.
type desk struct {
	owner  string
	report contract.StatusReport
	// working has the cancel function of everything under way, calls counts
	// the calls among them.
	working map[string]context.CancelCauseFunc
	calls   int
	off     map[string]bool
	until   map[string]time.Time
}

func newDesk(owner string) *desk {
	return &desk{
		owner: owner, working: map[string]context.CancelCauseFunc{},
		off: map[string]bool{}, until: map[string]time.Time{},
	}
}

// update takes a new report: what is not open any more is forgotten, and work
// on it is stopped.
func (d *desk) update(report contract.StatusReport) {
	d.report = report
	open := map[string]bool{}
	for _, a := range report.Actions {
		open[a.ActionID] = true
	}
	for _, a := range report.Approvals {
		open[a.ApprovalRequestID] = true
	}
	if report.ActionsLeftOut > 0 { // what is missing may be open nevertheless
		return
	}
	for id, cancel := range d.working {
		if !open[id] {
			cancel(errSettledElsewhere)
		}
	}
	for id := range d.off {
		if !open[id] {
			delete(d.off, id)
		}
	}
	for id := range d.until {
		if !open[id] {
			delete(d.until, id)
		}
	}
}

// forget drops what is to be left alone.
func (d *desk) forget() {
	clear(d.off)
	clear(d.until)
}

// begin notes that work on id is under way.
func (d *desk) begin(id string, call bool, cancel context.CancelCauseFunc) {
	d.working[id] = cancel
	if call {
		d.calls++
	}
}

// start runs one piece of work and tells how it went. It always does, even if
// a handler ends its goroutine: then it is looked at again after the pause.
func (d *desk) start(ctx context.Context, id string, call bool, work func(context.Context) finished, pause time.Duration, tell func(finished)) {
	job, stop := context.WithCancelCause(ctx)
	d.begin(id, call, stop)
	go func() {
		f := finished{pause: pause}
		defer func() {
			stop(nil)
			f.id, f.call = id, call
			tell(f)
		}()
		f = work(job)
	}()
}

// end notes how it went.
func (d *desk) end(f finished, now time.Time) {
	delete(d.working, f.id)
	if f.call {
		d.calls--
	}
	if f.off {
		d.off[f.id] = true
	} else {
		d.until[f.id] = now.Add(f.pause)
	}
}

// nextAction is the first call that may be taken now.
func (d *desk) nextAction(now time.Time) (contract.OpenAction, bool) {
	for _, a := range d.report.Actions {
		if !d.busy(a.ActionID) && !now.Before(d.free(a)) {
			return a, true
		}
	}
	return contract.OpenAction{}, false
}

// nextApproval is the first approval that may be asked about now.
func (d *desk) nextApproval(now time.Time) (contract.OpenApproval, bool) {
	for _, a := range d.report.Approvals {
		if !d.busy(a.ApprovalRequestID) && !now.Before(d.until[a.ApprovalRequestID]) {
			return a, true
		}
	}
	return contract.OpenApproval{}, false
}

// wake is when to look again, if anything is left alone until some time to
// come. What may be taken now waits for a free place, not for a time.
func (d *desk) wake(now time.Time) (earliest time.Time, needed bool) {
	sooner := func(id string, at time.Time) {
		if !d.busy(id) && at.After(now) && (!needed || at.Before(earliest)) {
			earliest, needed = at, true
		}
	}
	for _, a := range d.report.Actions {
		sooner(a.ActionID, d.free(a))
	}
	for _, a := range d.report.Approvals {
		sooner(a.ApprovalRequestID, d.until[a.ApprovalRequestID])
	}
	return earliest, needed
}

// free is from when on a call may be taken: zero for at once, else the end of
// somebody's lease or of our own patience.
func (d *desk) free(a contract.OpenAction) time.Time {
	free := d.until[a.ActionID]
	if a.Owner != "" && a.Owner != d.owner && a.LeaseUntil.After(free) {
		free = a.LeaseUntil
	}
	return free
}

func (d *desk) busy(id string) bool {
	_, working := d.working[id]
	return working || d.off[id]
}
