package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

const (
	braveURL = "https://api.search.brave.com/res/v1/web"
	// maxBraveQuery, maxBraveWords and maxBraveCount are Brave's own limits.
	maxBraveQuery = 400
	maxBraveWords = 50
	maxBraveCount = 20
)

// braveCountries are those that Brave takes; it refuses a request with another.
var braveCountries = strings.Fields(`AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU
	SA ZA ES SE CH TW TR GB US`)

// brave asks the Brave Search API.
type brave struct{ endpoint }

func (b brave) search(ctx context.Context, q query) (answer, error) {
	parameters := url.Values{
		"q":     {braveQuery(q)},
		"count": {strconv.Itoa(min(q.limit, maxBraveCount))}, "text_decorations": {"false"}, "result_filter": {"web"},
	}
	header := http.Header{}
	if at := q.wanted.Location; at != nil {
		if slices.Contains(braveCountries, at.Country) {
			parameters.Set("country", at.Country)
		}
		for name, value := range map[string]string{
			"X-Loc-City": at.City, "X-Loc-State-Name": at.Region, "X-Loc-Country": at.Country, "X-Loc-Timezone": at.Timezone,
		} {
			if value != "" && printable(value) {
				header.Set(name, value)
			}
		}
	}
	var found struct {
		Web struct {
			Results []struct {
				URL         string   `json:"url"`
				Title       string   `json:"title"`
				Description string   `json:"description"`
				Extra       []string `json:"extra_snippets"`
				Age         string   `json:"age"`
				PageAge     string   `json:"page_age"`
			} `json:"results"`
		} `json:"web"`
	}
	if err := b.get(ctx, "/search", parameters, header, &found); err != nil {
		return answer{}, err
	}
	var out answer
	for _, r := range found.Web.Results {
		one := result{url: r.URL, title: r.Title, text: strings.Join(append([]string{r.Description}, r.Extra...), " … "), date: r.PageAge}
		if one.date == "" {
			one.date = r.Age
		}
		out.results = append(out.results, one)
	}
	if len([]rune(q.text)) > maxBraveQuery || len(strings.Fields(q.text)) > maxBraveWords {
		out.notes = append(out.notes, "the query was cut: at most 400 characters and 50 words are searched for")
	}
	return out, nil
}

// braveQuery is the query within Brave's limits, narrowed to domains where
// there is room.
func braveQuery(q query) string {
	words := strings.Fields(q.text)
	words = words[:min(len(words), maxBraveWords)]
	text := []rune(strings.Join(words, " "))
	text = text[:min(len(text), maxBraveQuery)]
	narrow := sites(q.wanted.AllowedDomains, maxBraveQuery-len(text))
	if len(words)+len(strings.Fields(narrow)) > maxBraveWords {
		narrow = ""
	}
	return string(text) + narrow
}

// printable tells whether a text can go into a header.
func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
