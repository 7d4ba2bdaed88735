package item

import "encoding/json"

// TypeWebSearchCall is the public item of a call of web_search.
const TypeWebSearchCall = "web_search_call"

// Source is a page that a web_search_call item names.
type Source struct {
	URL   string
	Title string
}

type sourceJSON struct {
	Type  string `json:"type"`
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
}

// WebSearchCall is a web_search_call item. Its action is made by Search,
// OpenPage or FindInPage.
func WebSearchCall(id, status string, action json.RawMessage) json.RawMessage {
	return encode(struct {
		Type   string          `json:"type"`
		ID     string          `json:"id"`
		Status string          `json:"status"`
		Action json.RawMessage `json:"action"`
	}{TypeWebSearchCall, id, status, action})
}

// Search is the action of a search, with the pages that were found.
func Search(query string, found []Source) json.RawMessage {
	all := make([]sourceJSON, len(found))
	for i, s := range found {
		all[i] = sourceJSON{"url", s.URL, s.Title}
	}
	return encode(struct {
		Type    string       `json:"type"`
		Query   string       `json:"query"`
		Queries []string     `json:"queries"`
		Sources []sourceJSON `json:"sources"`
	}{"search", query, []string{query}, all})
}

// OpenPage is the action of reading a page.
func OpenPage(address string) json.RawMessage {
	return encode(struct {
		Type string `json:"type"`
		URL  string `json:"url"`
	}{"open_page", address})
}

// FindInPage is the action of looking for a text in a page.
func FindInPage(address, pattern string) json.RawMessage {
	return encode(struct {
		Type    string `json:"type"`
		URL     string `json:"url"`
		Pattern string `json:"pattern"`
	}{"find_in_page", address, pattern})
}

// Sources are the pages that a completed web_search_call item names: those it
// found, or the one it read.
func Sources(raw json.RawMessage) []Source {
	var call struct {
		Type   string `json:"type"`
		Status string `json:"status"`
		Action struct {
			URL     string       `json:"url"`
			Sources []sourceJSON `json:"sources"`
		} `json:"action"`
	}
	if json.Unmarshal(raw, &call) != nil || call.Type != TypeWebSearchCall || call.Status != "completed" {
		return nil
	}
	var all []Source
	for _, s := range call.Action.Sources {
		all = append(all, Source{s.URL, s.Title})
	}
	if call.Action.URL != "" {
		all = append(all, Source{URL: call.Action.URL})
	}
	return all
}
