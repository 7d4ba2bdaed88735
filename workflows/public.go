package workflows

import (
	"encoding/json"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
)

// publicItem is what the output of a result shows of a gateway-owned call, by
// the type of its declaration; nil for types that show nothing. The call has no
// outcome while it runs. The raw function call is never shown (VL-30).
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
// refused before it was prepared is not shown (VL-7, VL-30).
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
