package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/web"
)

func TestSearXNGIsAskedForJSONAndItsMarkupIsStripped(t *testing.T) {
	t.Parallel()
	at := serve(t, says(searxngBody))
	out, err := call(t, searxng(t, at), tools.WebSearch{}, `{"query":" what  is\nit "}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"results":[
		{"title":"First & best","url":"https://docs.example.com/a","date":"2026-03-01T00:00:00","text":"One bold word."},
		{"title":"other.example.org","url":"https://other.example.org/b"}]}`, content(t, out))
	require.JSONEq(t, `{"action":{"type":"search","query":"what is it","queries":["what is it"],"sources":[
		{"type":"url","url":"https://docs.example.com/a","title":"First & best"},{"type":"url","url":"https://other.example.org/b","title":"other.example.org"}]}}`, string(out.Public))
	r := at.requests()[0]
	require.Equal(t, "/search", r.URL.Path)
	require.Equal(t, "json", r.URL.Query().Get("format"))
	require.Equal(t, "what is it", r.URL.Query().Get("q"))
	require.Empty(t, r.Header.Get("X-Subscription-Token"))
}

func TestBraveIsAskedWithItsKeyAndThePersonsPlace(t *testing.T) {
	t.Parallel()
	at := serve(t, says(braveBody))
	out, err := call(t, brave(t, at), tools.WebSearch{
		ContextSize: "low", Location: &tools.Location{City: "Oslo", Country: "NO", Region: "Østlandet", Timezone: "Europe/Oslo"},
	}, `{"action":"search","query":"q"}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"results":[
		{"title":"First","url":"https://docs.example.com/a","date":"2026-03-01T00:00:00","text":"A bold word … and more"},
		{"title":"Second","url":"https://other.example.org/b","date":"1 year ago"}]}`, content(t, out))
	r := at.requests()[0]
	require.Equal(t, "secret-key", r.Header.Get("X-Subscription-Token"))
	require.Equal(t, "4", r.URL.Query().Get("count"))
	require.Equal(t, "NO", r.URL.Query().Get("country"))
	require.Equal(t, "Oslo", r.Header.Get("X-Loc-City"))
	require.Equal(t, "Europe/Oslo", r.Header.Get("X-Loc-Timezone"))
	require.Empty(t, r.Header.Get("X-Loc-State-Name"), "a header cannot hold it")
	_, err = call(t, brave(t, at), tools.WebSearch{Location: &tools.Location{Country: "IS"}}, `{"query":"q"}`)
	require.NoError(t, err)
	require.Empty(t, at.requests()[1].URL.Query().Get("country"), "Brave refuses countries that it does not know")
}

func TestQueriesStayWithinBravesLimits(t *testing.T) {
	t.Parallel()
	at := serve(t, says(braveBody))
	out, err := call(t, brave(t, at), tools.WebSearch{AllowedDomains: []string{"example.com"}}, fmt.Sprintf(`{"query":%q}`, strings.Repeat("wörd ", 300)))
	require.NoError(t, err)
	require.Contains(t, content(t, out), "the query was cut")
	sent := at.requests()[0].URL.Query().Get("q")
	require.Len(t, strings.Fields(sent), 50)
	require.LessOrEqual(t, len([]rune(sent)), 400)
}

func TestDomainsNarrowTheQueryAndTheResults(t *testing.T) {
	t.Parallel()
	at := serve(t, says(searxngBody))
	out, err := call(t, searxng(t, at), tools.WebSearch{AllowedDomains: []string{"example.com", "example.net"}}, `{"query":"q"}`)
	require.NoError(t, err)
	require.Contains(t, content(t, out), "docs.example.com")
	require.NotContains(t, content(t, out), "example.org")
	require.Equal(t, "q (site:example.com OR site:example.net)", at.requests()[0].URL.Query().Get("q"))
	out, err = call(t, searxng(t, at), tools.WebSearch{BlockedDomains: []string{"example.com"}}, `{"query":"q"}`)
	require.NoError(t, err)
	require.NotContains(t, content(t, out), "docs.example.com")
	out, err = call(t, searxng(t, at), tools.WebSearch{AllowedDomains: []string{"ample.com"}}, `{"query":"q"}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"results":[],"notes":["nothing was found in the domains that this search is limited to"]}`, content(t, out))
}

func TestContextSizeDecidesHowMuchIsShown(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprintf(`{"url":"https://h%d.example","title":%q,"content":%q}`, i, strings.Repeat("t", 500), strings.Repeat("é", 5000)))
	}
	at := serve(t, says(`{"results":[`+strings.Join(many, ",")+`]}`))
	for size, want := range map[string]struct{ results, text int }{"low": {4, 300}, "": {8, 600}, "high": {16, 1200}} {
		out, err := call(t, searxng(t, at), tools.WebSearch{ContextSize: size}, `{"query":"q"}`)
		require.NoError(t, err)
		var body struct {
			Results []struct{ Title, Text string }
		}
		require.NoError(t, json.Unmarshal([]byte(content(t, out)), &body))
		require.Len(t, body.Results, want.results, size)
		require.Len(t, []rune(body.Results[0].Text), want.text+1, "with an ellipsis")
		require.Len(t, []rune(body.Results[0].Title), 201)
	}
}

func TestEnginesThatAllFailAreNoEmptyResult(t *testing.T) {
	t.Parallel()
	at := serve(t, says(`{"results":[],"unresponsive_engines":[["google","CAPTCHA"],["bing","timeout"]]}`))
	_, err := call(t, searxng(t, at), tools.WebSearch{}, `{"query":"q"}`)
	require.EqualError(t, err, "SearXNG has no result because its engines do not answer: google CAPTCHA, bing timeout")
	at = serve(t, says(`{"results":[]}`))
	out, err := call(t, searxng(t, at), tools.WebSearch{}, `{"query":"q"}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"results":[],"notes":["nothing was found"]}`, content(t, out))
}

func TestArgumentsAreCheckedBeforeTheProviderIsAsked(t *testing.T) {
	t.Parallel()
	at := serve(t, func(http.ResponseWriter, *http.Request) {})
	s := searxng(t, at)
	for arguments, want := range map[string]string{
		`{}`:                     "query: required for the action search",
		`{"query":"  "}`:         "query: required",
		`{"action":"open_page"}`: "url: required for the action open_page",
		`{"pattern":"x"}`:        "url: required for the action find_in_page",
		`{"action":"find_in_page","url":"https://x.example"}`: "pattern: required",
		`{"query":7}`: "all of them text",
	} {
		_, err := s.Prepare(tools.TypeWebSearch, []byte(arguments))
		require.ErrorContains(t, err, want, arguments)
	}
	for _, fine := range []string{`{"query":"q"}`, `{"url":"https://x.example"}`, `{"url":"https://x.example","pattern":"p"}`, `{"action":"sing"}`} {
		_, err := s.Prepare(tools.TypeWebSearch, []byte(fine))
		require.NoError(t, err, fine)
	}
	require.Empty(t, at.requests())
}

func TestTheModelSeesWhatTheDeclarationAsksFor(t *testing.T) {
	t.Parallel()
	open := source(t, web.Config{Provider: web.SearXNG, BaseURL: "http://127.0.0.1:1", Hosts: []string{"*"}})
	d, ok := open.Describe("web_search")
	require.True(t, ok)
	require.Equal(t, tools.EffectRead, d.Effect)
	require.False(t, d.Capabilities.Writes)
	require.True(t, d.ParallelSafe)
	require.Contains(t, string(d.Parameters), "find_in_page")
	_, ok = open.Describe("other")
	require.False(t, ok)

	asked := open.Declared(tools.Declaration{GatewayDeclaration: tools.GatewayDeclaration{Options: json.RawMessage(`{"index_only":true,"allowed_domains":["example.com"],"user_location":{"city":"Oslo","timezone":"Europe/Oslo"}}`)}})
	require.NotContains(t, string(asked.Parameters), "open_page")
	require.NotContains(t, asked.Description, "open_page")
	require.Contains(t, asked.Description, "Only pages of these domains can be found: example.com.")
	require.Contains(t, asked.Description, "The person who asks is in Oslo (Europe/Oslo).")
}

func TestProvidersNeedWhatTheyNeed(t *testing.T) {
	t.Parallel()
	for _, c := range []web.Config{
		{},
		{Provider: "google", BaseURL: "https://x.example"},
		{Provider: web.SearXNG},
		{Provider: web.Brave},
		{Provider: web.SearXNG, BaseURL: "localhost:8080"},
		{Provider: web.SearXNG, BaseURL: "http://u:p@localhost:8080"},
	} {
		_, err := web.New(c)
		require.Error(t, err, "%+v", c)
	}
}
