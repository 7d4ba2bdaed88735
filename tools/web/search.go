package web

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"errand/tools"
	"errand/tools/item"
)

// amount is how much the model is shown, by search_context_size.
type amount struct {
	// results of a search, and the characters of each one's excerpt.
	results, excerpt int
	// page is how many bytes of an opened page.
	page int
}

var amounts = map[string]amount{
	"low":    {results: 4, excerpt: 300, page: 8 << 10},
	"medium": {results: 8, excerpt: 600, page: 24 << 10},
	"high":   {results: 16, excerpt: 1200, page: 80 << 10},
}

func amountOf(wanted tools.WebSearch) amount {
	if a, ok := amounts[wanted.ContextSize]; ok {
		return a
	}
	return amounts["medium"]
}

// shown is one result as the model reads it.
type shown struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	Date  string `json:"date,omitempty"`
	Text  string `json:"text,omitempty"`
}

const (
	maxTitle = 200
	maxDate  = 40
	maxURL   = 2000
	// maxConsidered bounds the results of a provider that are looked at: a model
	// is never shown a tenth of them.
	maxConsidered = 500
)

func (s *Source) search(ctx context.Context, text string, wanted tools.WebSearch) (tools.Output, error) {
	much := amountOf(wanted)
	ask := much.results
	if len(wanted.AllowedDomains)+len(wanted.BlockedDomains) > 0 {
		ask = 2 * much.results // some of them will be left out
	}
	text = strings.Join(strings.Fields(text), " ")
	found, err := s.provider.search(ctx, query{text: text, limit: ask, wanted: wanted})
	if err != nil {
		return tools.Output{}, err
	}
	all := kept(found.results, wanted, much)
	body := struct {
		Results []shown  `json:"results"`
		Notes   []string `json:"notes,omitempty"`
	}{all, found.notes}
	if len(all) == 0 {
		note := "nothing was found"
		if len(found.results) > 0 {
			note = "nothing was found in the domains that this search is limited to"
		}
		body.Notes = append(body.Notes, note)
	}
	sources := make([]item.Source, len(all))
	for i, one := range all {
		sources[i] = item.Source{URL: one.URL, Title: one.Title}
	}
	content, err := json.Marshal(body)
	if err != nil { // texts only
		return tools.Output{}, err
	}
	return tools.Output{Content: json.RawMessage(content), Public: public(item.Search(text, sources))}, nil
}

// kept are the results that the declaration lets through, without repeats, as
// many as the model is shown.
func kept(found []result, wanted tools.WebSearch, much amount) []shown {
	all := []shown{}
	seen := map[string]bool{}
	for _, r := range found[:min(len(found), maxConsidered)] {
		if len(all) == much.results {
			break
		}
		if len(r.url) > maxURL || seen[r.url] {
			continue
		}
		u, err := url.Parse(r.url)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil || outside(u, wanted) != nil {
			continue
		}
		seen[r.url] = true
		one := shown{Title: limited(plain(r.title), maxTitle), URL: r.url, Date: limited(plain(r.date), maxDate), Text: limited(plain(r.text), much.excerpt)}
		if one.Title == "" {
			one.Title = u.Hostname()
		}
		all = append(all, one)
	}
	return all
}

// limited is at most so many characters of a text.
func limited(text string, most int) string {
	count := 0
	for i := range text {
		if count == most {
			return strings.TrimSpace(text[:i]) + "…"
		}
		count++
	}
	return text
}
