package test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/worker"
	"errand/workflows/contract"
)

// searchServer speaks as SearXNG and as Brave do, and is the site that both
// find. The query decides what goes wrong.
func searchServer(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("/search", func(w http.ResponseWriter, r *http.Request) {
		if misbehave(w, r) {
			return
		}
		brave := r.Header.Get("X-Subscription-Token") != ""
		w.Header().Set("Content-Type", "application/json")
		switch {
		case brave && r.Header.Get("X-Subscription-Token") != "k1":
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, `{"error":{"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"no"}}`)
		case brave:
			_, _ = fmt.Fprintf(w, `{"web":{"results":[{"title":"The <b>guide</b>","url":%q,"description":"How to install."}]}}`, server.URL+"/guide")
		case r.URL.Query().Get("format") != "json":
			w.WriteHeader(http.StatusForbidden)
		default:
			_, _ = fmt.Fprintf(w, `{"results":[{"title":"The <b>guide</b>","url":%q,"content":"How to install."}],"unresponsive_engines":[]}`, server.URL+"/guide")
		}
	})
	mux.HandleFunc("/guide", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>Guide</title><h1>Install</h1><p>Press the <b>green</b> button.</p>`)
	})
	mux.Handle("/metadata", http.RedirectHandler("http://169.254.169.254/latest", http.StatusFound))
	return server
}

// misbehave answers in a way that the query names.
func misbehave(w http.ResponseWriter, r *http.Request) bool {
	q := r.URL.Query().Get("q")
	switch {
	case strings.HasPrefix(q, "limit"):
		w.Header().Set("Retry-After", "90")
		w.WriteHeader(http.StatusTooManyRequests)
	case strings.HasPrefix(q, "broken"):
		w.WriteHeader(http.StatusInternalServerError)
	case strings.HasPrefix(q, "html"):
		_, _ = io.WriteString(w, "<html>welcome</html>")
	case strings.HasPrefix(q, "slow"):
		<-r.Context().Done()
	case strings.HasPrefix(q, "huge"):
		for range 50 {
			if _, err := io.WriteString(w, strings.Repeat(" ", 1<<20)); err != nil {
				return true
			}
		}
	default:
		return false
	}
	return true
}

// searchWorker is a worker whose searches go to a server, as a provider.
func (s *stage) searchWorker(api string, search worker.Search) {
	config := s.config(api)
	config.Search = search
	s.workWith(config)
}

func search(id, arguments string) harness.ToolCall {
	return harness.ToolCall{ID: id, Name: "web_search", Arguments: arguments}
}

const searchRequest = `{"model":"m","input":"how do I install it?","tools":[{"type":"web_search_preview","search_context_size":"low",
	"user_location":{"type":"approximate","city":"Oslo","country":"NO"}%s}]}`

func TestSearchesRunOverBothProvidersAndBothModelAPIs(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		api    string
		search worker.Search
	}{
		"searxng responses": {"responses", worker.Search{Provider: "searxng"}},
		"brave chat":        {"chat", worker.Search{Provider: "brave", APIKey: "k1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			web := searchServer(t)
			guide := web.URL + "/guide"
			s := newStage(t, harness.Rounds(
				harness.Calls(search("c1", `{"query":"install"}`)),
				harness.Calls(
					search("c2", fmt.Sprintf(`{"action":"open_page","url":%q}`, guide)),
					search("c3", fmt.Sprintf(`{"action":"find_in_page","url":%q,"pattern":"GREEN"}`, guide)),
				),
				harness.Say("Press the green button ([Guide]("+guide+"))."),
			))
			one.search.BaseURL, one.search.Hosts = web.URL, []string{"127.0.0.1"}
			s.searchWorker(one.api, one.search)
			ctx := within(t)
			run, err := s.starter.Start(ctx, json.RawMessage(fmt.Sprintf(searchRequest, "")))
			require.NoError(t, err)
			result, err := run.Result(ctx)
			require.NoError(t, err)
			require.Equal(t, contract.Completed, result.Status)

			require.JSONEq(t, `["web_search"]`, shownTools(t, s.model.Requests()[0]))
			require.Contains(t, string(s.model.Requests()[0].Body), "The person who asks is in Oslo, NO.")
			require.Contains(t, sentOutputs(t, s.model.Requests()[1])[0], "How to install.")
			read := sentOutputs(t, s.model.Requests()[2])
			require.Equal(t, "Guide\n"+guide+"\n\n# Install\nPress the green button.", read[0])
			require.JSONEq(t, fmt.Sprintf(`{"url":%q,"title":"Guide","matches":["# Install Press the green button."]}`, guide), read[1])

			require.Len(t, result.Output, 4)
			require.JSONEq(t, fmt.Sprintf(`{"type":"web_search_call","id":"ws_1_0","status":"completed","action":{"type":"search","query":"install","queries":["install"],
				"sources":[{"type":"url","url":%q,"title":"The guide"}]}}`, guide), string(result.Output[0]))
			require.JSONEq(t, fmt.Sprintf(`{"type":"web_search_call","id":"ws_2_0","status":"completed","action":{"type":"open_page","url":%q}}`, guide), string(result.Output[1]))
			require.JSONEq(t, fmt.Sprintf(`{"type":"web_search_call","id":"ws_2_1","status":"completed","action":{"type":"find_in_page","url":%q,"pattern":"GREEN"}}`, guide), string(result.Output[2]))
			requireCitation(t, result.Output[3], guide)
			requireSearchEvents(t, run)
		})
	}
}

// requireCitation checks the one citation of a message: the whole link that the
// model wrote.
func requireCitation(t *testing.T, message json.RawMessage, guide string) {
	t.Helper()
	var m struct {
		Content []struct {
			Text        string
			Annotations []struct {
				Type, URL, Title string
				Start            int `json:"start_index"`
				End              int `json:"end_index"`
			}
		}
	}
	require.NoError(t, json.Unmarshal(message, &m))
	require.Len(t, m.Content[0].Annotations, 1)
	a := m.Content[0].Annotations[0]
	require.Equal(t, []string{"url_citation", guide, "The guide"}, []string{a.Type, a.URL, a.Title})
	require.Equal(t, "[Guide]("+guide+")", string([]rune(m.Content[0].Text)[a.Start:a.End]))
}

// requireSearchEvents checks the order of the events of a search (VL-39).
func requireSearchEvents(t *testing.T, run *starter.Run) {
	t.Helper()
	page, err := run.Events(t.Context(), 0)
	require.NoError(t, err)
	var of []string
	for _, e := range page.Events {
		if e.ToolCallID == "c1" {
			require.Equal(t, "web_search", e.Tool)
			of = append(of, string(e.Type))
		}
	}
	require.Equal(t, []string{"tool_execution_start", "tool_execution_end", "tool_result"}, of)
}

func TestFaultsOfSearchesAreOutcomesAndTheRunGoesOn(t *testing.T) {
	t.Parallel()
	web := searchServer(t)
	private := strings.Replace(web.URL, "127.0.0.1", "localhost", 1)
	calls := []struct{ arguments, want string }{
		{`{"query":"limit"}`, "SearXNG answered 429 Too Many Requests; it can be asked again in 1m30s"},
		{`{"query":"broken"}`, "SearXNG answered 500 Internal Server Error"},
		{`{"query":"html"}`, "SearXNG did not answer with its JSON"},
		{`{"query":"slow"}`, "SearXNG did not answer within 2s"},
		{`{"query":"huge"}`, "SearXNG sent more than 2097152 bytes"},
		{`{"url":"http://169.254.169.254/latest"}`, "private address"},
		{fmt.Sprintf(`{"url":%q}`, private+"/guide"), "private address"},
		{fmt.Sprintf(`{"url":%q}`, web.URL+"/metadata"), "private address"},
		{`{"query":`, `"type":"InvalidArguments"`},
		{`{"action":"find_in_page","url":"http://x.example"}`, "pattern: required"},
		{`{"query":"fine"}`, "How to install."},
		{`{"query":"once too often"}`, "max_uses"},
	}
	var asked []harness.ToolCall
	for i, c := range calls {
		asked = append(asked, search(fmt.Sprintf("c%d", i), c.arguments))
	}
	s := newStage(t, harness.Rounds(harness.Calls(asked...), harness.Say("done")))
	s.searchWorker("responses", worker.Search{Provider: "searxng", BaseURL: web.URL, Timeout: 2 * time.Second, Hosts: []string{"*", "127.0.0.1"}})
	ctx := within(t)
	run, err := s.starter.Start(ctx, json.RawMessage(fmt.Sprintf(searchRequest, `,"max_uses":9`)))
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	outputs := sentOutputs(t, s.model.Requests()[1])
	require.Len(t, outputs, len(calls))
	require.Len(t, result.Output, len(calls)+1)
	for i, c := range calls {
		require.Contains(t, outputs[i], c.want, c.arguments)
		status := "failed"
		if c.want == "How to install." {
			status = "completed"
		}
		require.Contains(t, string(result.Output[i]), fmt.Sprintf(`"id":"ws_1_%d","status":%q`, i, status))
	}
}

func TestDomainsOfADeclarationBindSearchesAndPages(t *testing.T) {
	t.Parallel()
	web := searchServer(t)
	s := newStage(t, harness.Rounds(
		harness.Calls(search("c1", `{"query":"install"}`), search("c2", fmt.Sprintf(`{"url":%q}`, web.URL+"/guide"))),
		harness.Say("done"),
	))
	s.searchWorker("responses", worker.Search{Provider: "searxng", BaseURL: web.URL, Hosts: []string{"127.0.0.1"}})
	ctx := within(t)
	run, err := s.starter.Start(ctx, json.RawMessage(fmt.Sprintf(searchRequest, `,"filters":{"allowed_domains":["docs.example.com"]}`)))
	require.NoError(t, err)
	_, err = run.Result(ctx)
	require.NoError(t, err)
	outputs := sentOutputs(t, s.model.Requests()[1])
	require.Contains(t, outputs[0], "nothing was found in the domains that this search is limited to")
	require.Contains(t, outputs[1], "is outside the domains that this search is limited to: docs.example.com")
}

// sentOutputs are the outputs of the last batch as a request shows them to the
// model.
func sentOutputs(t *testing.T, request harness.Request) []string {
	t.Helper()
	decoded, err := harness.Decode(request)
	require.NoError(t, err)
	var all []string
	for _, out := range decoded.Outputs() {
		all = append(all, out.Output)
	}
	return all
}
