package workflows

import (
	"encoding/json"
	"fmt"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
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
