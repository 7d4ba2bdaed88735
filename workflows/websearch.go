package workflows

import (
	"encoding/json"
	"fmt"
	"strings"

	"errand/tools"
	"errand/tools/item"
)

// webSearchItem is the web_search_call item of a call.
func webSearchItem(c *call) json.RawMessage {
	status := "in_progress"
	var public struct {
		Action json.RawMessage `json:"action"`
	}
	if o := c.outcome; o != nil {
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

// maxSources bounds the pages that a run remembers for citations.
const maxSources = 2000

// cite remembers the pages that a web_search_call item names as sources.
func (r *report) cite(raw json.RawMessage) {
	for _, s := range item.Sources(raw) {
		if r.sources == nil {
			r.sources = map[string]string{}
		}
		title, known := r.sources[s.URL]
		if title == "" && (known || len(r.sources) < maxSources) {
			r.sources[s.URL] = s.Title
		}
	}
}

// found tells whether a call of web_search names a page that web_search has
// found. A place in the page makes no difference.
func (r *report) found(c *call) bool {
	if c.tool.Source != tools.SourceWebSearch {
		return false
	}
	a, err := tools.ReadSearchArguments([]byte(c.Arguments))
	if err != nil {
		return false
	}
	address := strings.TrimSpace(a.URL)
	page, _, _ := strings.Cut(address, "#")
	_, whole := r.sources[address]
	_, ok := r.sources[page]
	return whole || ok
}

// cited is an item with a url_citation for every place where the model wrote
// the address of a page that web_search has given it. Nothing else is cited.
func (r *run) cited(raw json.RawMessage) json.RawMessage {
	if len(r.report.sources) == 0 {
		return raw
	}
	return item.Cite(raw, r.report.sources)
}
