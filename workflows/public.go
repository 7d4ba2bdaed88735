package workflows

import (
	"encoding/json"

	"errand/tools"
	"errand/tools/item"
)

// publicItem is what the output of a result shows of a gateway-owned call, by
// the type of its declaration; nil for types that show nothing. The call has no
// outcome while it runs. The raw function call is never shown (VL-30).
func publicItem(c *call) json.RawMessage {
	switch c.tool.Type {
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
func (r *run) show(c *call) {
	it := publicItem(c)
	switch {
	case it == nil:
		return
	case c.place == 0:
		c.place = r.Report.Publish(it)
	default:
		r.Report.Republish(c.place, it)
	}
	r.Report.Cite(it)
}

// showApproval puts the question to a person into the place of its call. The
// call itself comes after it.
func (r *run) showApproval(c *call) {
	it := item.ApprovalRequest(c.approval.id, c.tool.Label(), c.Tool, c.Arguments)
	if c.place == 0 {
		r.Report.Publish(it)
		return
	}
	r.Report.Republish(c.place, it)
	c.place = 0
	r.show(c)
}
