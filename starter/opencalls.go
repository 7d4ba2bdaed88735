package starter

import (
	"context"
	"errors"
	"time"
)

var errSettledElsewhere = errors.New("settled by somebody else")

// openCalls is the calls and approvals of a run, by action id and approval id:
// what is open, what is being worked on, what is to be left alone, for ever or
// until some time. One goroutine uses it.
type openCalls struct {
	owner  string
	report StatusReport
	// working has the cancel function of everything under way, calls counts
	// the calls among them.
	working map[string]context.CancelCauseFunc
	calls   int
	off     map[string]bool
	until   map[string]time.Time
}

func newOpenCalls(owner string) *openCalls {
	return &openCalls{
		owner: owner, working: map[string]context.CancelCauseFunc{},
		off: map[string]bool{}, until: map[string]time.Time{},
	}
}

// update takes a new report: what is not open any more is forgotten, and work
// on it is stopped.
func (o *openCalls) update(report StatusReport) {
	o.report = report
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
	for id, cancel := range o.working {
		if !open[id] {
			cancel(errSettledElsewhere)
		}
	}
	for id := range o.off {
		if !open[id] {
			delete(o.off, id)
		}
	}
	for id := range o.until {
		if !open[id] {
			delete(o.until, id)
		}
	}
}

// cancel stops all work.
func (o *openCalls) cancel(why error) {
	for _, cancel := range o.working {
		cancel(why)
	}
}

// forget drops what is to be left alone.
func (o *openCalls) forget() {
	clear(o.off)
	clear(o.until)
}

// begin notes that work on id is under way.
func (o *openCalls) begin(id string, call bool, cancel context.CancelCauseFunc) {
	o.working[id] = cancel
	if call {
		o.calls++
	}
}

// end notes how it went.
func (o *openCalls) end(f finished, now time.Time) {
	delete(o.working, f.id)
	if f.call {
		o.calls--
	}
	if f.off {
		o.off[f.id] = true
	} else {
		o.until[f.id] = now.Add(f.pause)
	}
}

// nextAction is the first call that may be taken now.
func (o *openCalls) nextAction(now time.Time) (OpenAction, bool) {
	for _, a := range o.report.Actions {
		if !o.busy(a.ActionID) && !now.Before(o.free(a)) {
			return a, true
		}
	}
	return OpenAction{}, false
}

// nextApproval is the first approval that may be asked about now.
func (o *openCalls) nextApproval(now time.Time) (OpenApproval, bool) {
	for _, a := range o.report.Approvals {
		if !o.busy(a.ApprovalRequestID) && !now.Before(o.until[a.ApprovalRequestID]) {
			return a, true
		}
	}
	return OpenApproval{}, false
}

// wake is when to look again, if anything is left alone until some time to
// come. What may be taken now waits for a free place, not for a time.
func (o *openCalls) wake(now time.Time) (earliest time.Time, needed bool) {
	sooner := func(id string, at time.Time) {
		if !o.busy(id) && at.After(now) && (!needed || at.Before(earliest)) {
			earliest, needed = at, true
		}
	}
	for _, a := range o.report.Actions {
		sooner(a.ActionID, o.free(a))
	}
	for _, a := range o.report.Approvals {
		sooner(a.ApprovalRequestID, o.until[a.ApprovalRequestID])
	}
	return earliest, needed
}

// free is from when on a call may be taken: zero for at once, else the end of
// somebody's lease or of our own patience.
func (o *openCalls) free(a OpenAction) time.Time {
	free := o.until[a.ActionID]
	if a.Owner != "" && a.Owner != o.owner && a.LeaseUntil.After(free) {
		free = a.LeaseUntil
	}
	return free
}

func (o *openCalls) busy(id string) bool {
	_, working := o.working[id]
	return working || o.off[id]
}

// forgetContents drops what calls say: a run that waits for somebody else may
// do so for long, and its report is asked for again before its calls are taken.
func (o *openCalls) forgetContents() {
	for i := range o.report.Actions {
		a := &o.report.Actions[i]
		a.Args, a.Input = nil, nil
	}
	for i := range o.report.Approvals {
		o.report.Approvals[i].Args = nil
	}
}
