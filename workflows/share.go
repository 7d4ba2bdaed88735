package workflows

import (
	"encoding/json"

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
	return max(minOutput, min(r.report.stored, r.stateRoom()/max(1, len(r.running.open()))))
}

// answerRoom is what the answer of a client may have before it is cut. One that
// is only passed on to another run takes nothing here.
func (r *run) answerRoom(c *call) int {
	switch {
	case r.report.stored == 0:
		return tools.MaxOutput
	case c.relay != nil:
		return max(tools.MaxOutput, r.report.stored)
	}
	return r.shareOfState()
}

// stateRoom is what the outputs of open calls may take until the run could not
// continue in a new execution. A server's output stands there twice: as the
// item that the model reads, and as the public one for as long as the result
// can hold that.
func (r *run) stateRoom() int {
	size := stateReserve + len(r.request.RawTools) + eachCall*(len(r.ledger.actions)+len(r.ledger.approvals))
	for _, it := range r.conversation.items {
		size += len(it)
	}
	for _, queued := range [][]json.RawMessage{r.inbox.steering, r.inbox.followUps} {
		for _, it := range queued {
			size += len(it)
		}
	}
	public, expected := r.publicSize(), false
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
	most := contract.MaxResultSize + r.report.stored
	public = min(public, most)
	room := max(0, r.maxRaw()-size-public)
	if expected {
		room -= min(most-public, room/2)
	}
	return room
}

// publicSize is what public items take that are not items of the conversation.
func (r *run) publicSize() int {
	shared := make(map[*byte]bool, len(r.conversation.items))
	for _, it := range r.conversation.items {
		shared[first(it)] = true
	}
	size := 0
	for _, it := range r.report.output {
		if !shared[first(it)] {
			size += len(it)
		}
	}
	return size
}

// outcomeSize is what a settled call will add to the conversation. It is worked
// out once, since outputs are large.
func (c *call) outcomeSize() int {
	if c.settled() && c.size == 0 {
		c.size = tools.EncodedSize(c.outcome.Output) + eachCall
	}
	return c.size
}

// first tells two items apart without reading them: what is both is the same
// memory.
func first(it json.RawMessage) *byte {
	if len(it) == 0 {
		return nil
	}
	return &it[0]
}
