package workflows

import (
	"encoding/json"
	"fmt"

	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

// publicItem is what the output of a result shows of a gateway-owned call, by
// the type of its declaration; nil for types that show nothing. The call has no
// outcome while it runs. The raw function call is never shown.
func publicItem(c *actions.Call) json.RawMessage {
	switch c.Descriptor.Type {
	case tools.TypeWebSearch:
		return webSearchItem(c)
	case tools.TypeMCP:
		return serverCall(c)
	}
	return nil
}

// show puts a gateway-owned call among the public items: at the place that the
// model gave it while it runs, and there again with its outcome. A call that was
// refused before it was prepared is not shown.
func (r *run) show(c *actions.Call) {
	it := publicItem(c)
	switch {
	case it == nil:
		return
	case c.Place == 0:
		c.Place = r.Report.Publish(it)
	default:
		r.Report.Republish(c.Place, it)
	}
	r.Report.Cite(it)
}

// showApproval puts the question to a person into the place of its call. The
// call itself comes after it.
func (r *run) showApproval(c *actions.Call) {
	it := item.ApprovalRequest(c.Approval.ID, c.Descriptor.Label(), c.Tool, c.Arguments)
	if c.Place == 0 {
		r.Report.Publish(it)
		return
	}
	r.Report.Republish(c.Place, it)
	c.Place = 0
	r.show(c)
}

// webSearchItem is the web_search_call item of a call.
func webSearchItem(c *actions.Call) json.RawMessage {
	status := "in_progress"
	var public struct {
		Action json.RawMessage `json:"action"`
	}
	if o := c.Outcome; o != nil {
		switch o.Status {
		case tools.Succeeded:
			status = "completed"
		case tools.Cancelled:
			status = "incomplete"
		default:
			status = "failed"
		}
		_ = json.Unmarshal(o.Public, &public) // an object, or nothing
	}
	if public.Action == nil {
		public.Action = askedAction(c.Arguments)
	}
	return item.WebSearchCall(fmt.Sprintf("ws_%d_%d", c.Round, c.Index), status, public.Action)
}

// askedAction is the action that arguments ask for, as far as they can be read.
func askedAction(arguments string) json.RawMessage {
	a, err := tools.ReadSearchArguments([]byte(arguments))
	if err != nil {
		a = tools.SearchArguments{Action: tools.ActionSearch}
	}
	switch a.Action {
	case tools.ActionOpenPage:
		return item.OpenPage(a.URL)
	case tools.ActionFindInPage:
		return item.FindInPage(a.URL, a.Pattern)
	}
	return item.Search(a.Query, nil)
}

// serverCall is the public item of a call of a server's tool. The function call
// that the model wrote is not shown.
func serverCall(c *actions.Call) json.RawMessage {
	out := item.ServerCall{
		ID: fmt.Sprintf("mcp_%d_%d", c.Round, c.Index), Server: c.Descriptor.Remote.Server, Name: c.Descriptor.Remote.Tool,
		Arguments: c.Arguments, Status: "completed",
	}
	if c.Approval != nil {
		out.Approval = &c.Approval.ID
	}
	switch o := c.Outcome; {
	case o == nil:
		out.Status = "in_progress"
	case o.Succeeded():
		out.Output = &o.Output
	case o.Status == tools.Cancelled || o.Status == tools.Unknown || o.Status == tools.Expired:
		out.Status, out.Error = "incomplete", callFailure(o)
	default:
		out.Status, out.Error = "failed", callFailure(o)
	}
	return out.Item()
}

// callFailure is a failed outcome in the shape of mcp_call.error.
func callFailure(o *tools.Outcome) json.RawMessage {
	if o.Public != nil {
		return o.Public
	}
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	raw, err := json.Marshal(struct {
		Type    string `json:"type"`
		Content []text `json:"content"`
	}{"mcp_tool_execution_error", []text{{"text", o.Message()}}})
	if err != nil { // strings always encode
		return nil
	}
	return raw
}

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
