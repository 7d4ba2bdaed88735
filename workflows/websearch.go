package workflows

import (
	"encoding/json"
	"fmt"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/actions"
)

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

// found tells whether a call of web_search names a page that web_search has
// found.
func (r *run) found(c *actions.Call) bool {
	if c.Descriptor.Source != tools.SourceWebSearch {
		return false
	}
	a, err := tools.ReadSearchArguments([]byte(c.Arguments))
	return err == nil && r.Report.HasSource(a.URL)
}
