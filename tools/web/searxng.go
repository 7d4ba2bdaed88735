package web

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// searxng asks a SearXNG server by its JSON API, which has to be switched on
// there (search.formats). It has no parameter for a number of results or for a
// place.
type searxng struct{ endpoint }

func (s searxng) search(ctx context.Context, q query) (answer, error) {
	parameters := url.Values{
		"q": {q.text + sites(q.wanted.AllowedDomains, maxSearXNGQuery-len(q.text))}, "format": {"json"}, "categories": {"general"},
	}
	var found struct {
		Results []struct {
			URL       string `json:"url"`
			Title     string `json:"title"`
			Content   string `json:"content"`
			Published string `json:"publishedDate"`
		} `json:"results"`
		Unresponsive []any `json:"unresponsive_engines"`
	}
	if err := s.get(ctx, "/search", parameters, nil, &found); err != nil {
		return answer{}, err
	}
	var out answer
	for _, r := range found.Results {
		out.results = append(out.results, result{url: r.URL, title: r.Title, text: r.Content, date: r.Published})
	}
	if len(found.Results) == 0 && len(found.Unresponsive) > 0 {
		return answer{}, fmt.Errorf("%s has no result because its engines do not answer: %s", s.name, engines(found.Unresponsive))
	}
	return out, nil
}

// maxSearXNGQuery is the longest query that is made longer by domains.
const maxSearXNGQuery = 400

// engines names those that did not answer, each with its reason. They come as
// pairs.
func engines(all []any) string {
	const most, length = 10, 100
	var named []string
	for _, one := range all[:min(len(all), most)] {
		switch e := one.(type) {
		case []any:
			words := make([]string, len(e))
			for i, word := range e {
				words[i] = fmt.Sprint(word)
			}
			named = append(named, limited(strings.Join(words, " "), length))
		case string:
			named = append(named, limited(e, length))
		}
	}
	if len(all) > most {
		named = append(named, "…")
	}
	return strings.Join(named, ", ")
}

// sites narrows a query to some domains, in the words that search engines
// have for it; empty if that takes more than room bytes. Results are held
// against the domains in any case.
func sites(domains []string, room int) string {
	if len(domains) == 0 {
		return ""
	}
	text := " site:" + strings.Join(domains, " OR site:")
	if len(domains) > 1 {
		text = " (" + strings.TrimPrefix(text, " ") + ")"
	}
	if len(text) > room || len(domains) > 10 {
		return ""
	}
	return text
}
