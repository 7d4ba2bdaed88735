package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/web"
)

// server is a search provider, or a site, that remembers what it was asked.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
}

func serve(t *testing.T, handler http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.Clone(context.WithoutCancel(r.Context())))
		s.mu.Unlock()
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.seen...)
}

// says answers with a body.
func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, body)
	}
}

// searxngBody and braveBody have the members that those servers send, with
// markup where they send markup.
const (
	searxngBody = `{"query":"q","number_of_results":0,"results":[
		{"url":"https://docs.example.com/a","title":"First &amp; best","content":"One <b>bold</b> word.<script>x()</script>","publishedDate":"2026-03-01T00:00:00","engine":"duckduckgo","engines":["duckduckgo"],"score":1.5,"category":"general","parsed_url":["https","docs.example.com","/a","","",""],"positions":[1]},
		{"url":"https://docs.example.com/a","title":"Again","content":""},
		{"url":"javascript:alert(1)","title":"Not a page","content":""},
		{"url":"https://other.example.org/b","title":"","content":null,"publishedDate":null}],
		"answers":[],"corrections":[],"infoboxes":[],"suggestions":["more"],"unresponsive_engines":[["brave","too many requests"]]}`
	braveBody = `{"type":"search","query":{"original":"q","more_results_available":true},"web":{"type":"search","results":[
		{"title":"First","url":"https://docs.example.com/a","description":"A <strong>bold</strong> word","extra_snippets":["and more"],"age":"2 days ago","page_age":"2026-03-01T00:00:00","language":"en","family_friendly":true},
		{"title":"Second","url":"https://other.example.org/b","description":"","age":"1 year ago"}]}}`
)

func source(t *testing.T, c web.Config) *web.Source {
	t.Helper()
	s, err := web.New(c)
	require.NoError(t, err)
	return s
}

func searxng(t *testing.T, at *server) *web.Source {
	t.Helper()
	return source(t, web.Config{Provider: web.SearXNG, BaseURL: at.URL, Timeout: 5 * time.Second})
}

func brave(t *testing.T, at *server) *web.Source {
	t.Helper()
	return source(t, web.Config{Provider: web.Brave, BaseURL: at.URL, Key: "secret-key", Timeout: 5 * time.Second})
}

// call executes web_search with options and arguments of a declaration.
func call(t *testing.T, s *web.Source, options tools.WebSearch, arguments string) (tools.Output, error) {
	t.Helper()
	raw, err := json.Marshal(options)
	require.NoError(t, err)
	return s.Execute(t.Context(), tools.TypeWebSearch, tools.Invocation{
		Arguments: json.RawMessage(arguments), Options: raw, Progress: func(string) {},
	})
}

func content(t *testing.T, out tools.Output) string {
	t.Helper()
	switch c := out.Content.(type) {
	case json.RawMessage:
		return string(c)
	case string:
		return c
	}
	require.Fail(t, "content", "%T", out.Content)
	return ""
}
