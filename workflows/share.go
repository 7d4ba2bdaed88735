package workflows

import (
	"errand/tools"
	"errand/workflows/contract"
)

const (
	// stateReserve is what outputs leave of a state for all that is not counted
	// here: descriptors, events and traces, and what the next rounds bring.
	stateReserve = 4 << 20
	// eachCall is what a call takes beside its texts.
	eachCall = 250
)

// shareOfState is what each open call may return, so that all of them fit into
// the state with which the run continues. It is asked where there is storage.
func (r *run) shareOfState() int {
	return max(minOutput, min(r.Report.Stored, r.stateRoom()/max(1, len(r.running.open()))))
}

// answerRoom is what the answer of a client may have before it is cut. One that
// is only passed on to another run takes nothing here.
func (r *run) answerRoom(c *call) int {
	switch {
	case r.Report.Stored == 0:
		return tools.MaxOutput
	case c.relay != nil:
		return max(tools.MaxOutput, r.Report.Stored)
	}
	return r.shareOfState()
}

// stateRoom is what the outputs of open calls may take until the run could not
// continue in a new execution. A server's output stands there twice: as the
// item that the model reads, and as the public one for as long as the result
// can hold that.
func (r *run) stateRoom() int {
	size := stateReserve + len(r.Request.RawTools) + eachCall*(len(r.ledger.actions)+len(r.ledger.approvals))
	for _, it := range r.Conversation.Items {
		size += len(it)
	}
	size += r.Inbox.Size()
	public, expected := r.Report.SizeBeside(r.Conversation.Items), false
	for _, c := range r.running {
		if c.joined {
			continue
		}
		settled := c.outcomeSize()
		size += eachCall + 2*len(c.Arguments) + settled
		if c.tool.Remote != nil {
			public += settled
			expected = expected || !c.settled()
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

// outcomeSize is what a settled call will add to the conversation. It is worked
// out once, since outputs are large.
func (c *call) outcomeSize() int {
	if c.settled() && c.size == 0 {
		c.size = tools.EncodedSize(c.outcome.Output) + eachCall
	}
	return c.size
}
