package workflows

import (
	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

// How much the output of a call may have before it is cut.

const (
	// minOutput is what a call may always return.
	minOutput = 16 << 10
	// mayStayInside is the largest payload that can enter a history although the
	// workers have external storage. What is larger takes next to nothing there.
	mayStayInside = 256 << 10
	// stateReserve is what outputs leave of a state for all that is not counted
	// here: descriptors, events and traces, and what the next rounds bring.
	stateReserve = 4 << 20
	// eachCall is what a call takes beside its texts.
	eachCall = 250
)

// outputRoom bounds the output of a call, so that those of a large batch stay
// within what a history takes together; 0 is no bound but the common one.
func (r *run) outputRoom(ctx workflow.Context) int {
	open := max(1, len(r.Running.Open()))
	each := max(0, tooManyBytes-workflow.GetInfo(ctx).GetCurrentHistorySize()) / open
	switch {
	case r.Report.Stored > 0 && each >= mayStayInside:
		return r.shareOfState()
	case each < tools.MaxOutput:
		return max(each, minOutput)
	}
	return 0
}

// shareOfState is what each open call may return, so that all of them fit into
// the state with which the run continues. It is asked where there is storage.
func (r *run) shareOfState() int {
	return max(minOutput, min(r.Report.Stored, r.stateRoom()/max(1, len(r.Running.Open()))))
}

// answerRoom is what the answer of a client may have before it is cut. One that
// is only passed on to another run takes nothing here.
func (r *run) answerRoom(c *actions.Call) int {
	switch {
	case r.Report.Stored == 0:
		return tools.MaxOutput
	case r.delegated.relays[c] != nil:
		return max(tools.MaxOutput, r.Report.Stored)
	}
	return r.shareOfState()
}

// stateRoom is what the outputs of open calls may take until the run could not
// continue in a new execution. A server's output stands there twice: as the
// item that the model reads, and as the public one for as long as the result
// can hold that.
func (r *run) stateRoom() int {
	size := stateReserve + len(r.Request.RawTools) + eachCall*(len(r.Ledger.Actions)+len(r.Ledger.Approvals))
	for _, it := range r.Conversation.Items {
		size += len(it)
	}
	size += r.Inbox.Size()
	public, expected := r.Report.SizeBeside(r.Conversation.Items), false
	for _, c := range r.Running {
		if c.Joined {
			continue
		}
		settled := 0
		if c.Settled() {
			settled = c.OutputSize() + eachCall
		}
		size += eachCall + 2*len(c.Arguments) + settled
		if c.Descriptor.Remote != nil {
			public += settled
			expected = expected || !c.Settled()
		}
	}
	most := contract.MaxResultSize + r.Report.Stored
	public = min(public, most)
	room := max(0, r.maxRaw()-size-public)
	if expected {
		room -= min(most-public, room/2)
	}
	return room
}
