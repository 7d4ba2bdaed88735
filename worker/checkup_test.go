package worker_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/mcp/mcpconfig"
	"errand/worker"
)

// modelServer answers as the servers of models do, with one status for the
// path that inferences use.
func modelServer(t *testing.T, path string, status int, models string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v1/models" && models != "":
			_, _ = fmt.Fprint(w, models)
		case r.URL.Path == "/v1"+path:
			w.WriteHeader(status)
			_, _ = fmt.Fprint(w, `{"error":{"message":"no such luck","code":"c"}}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// look is what a checkup says about one thing.
func look(t *testing.T, config worker.Config, check string) worker.Finding {
	t.Helper()
	if config.Files.Root == "" {
		config.Files.Root = t.TempDir()
	}
	for _, f := range worker.Checkup(t.Context(), config, "gpt-5-mini") {
		if f.Check == check {
			return f
		}
	}
	require.Fail(t, "no finding", check)
	return worker.Finding{}
}

func TestACheckupOfModelServersSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const list = `{"object":"list","data":[{"id":"gpt-5-mini"},{"id":"other"}]}`
	for name, one := range map[string]struct {
		url, api, key, match string
		state                worker.State
		message, fix         string
	}{
		"well":       {modelServer(t, "/responses", 400, list), "responses", "key-of-this-test", "*", worker.StateOK, "it accepts the key and speaks /responses; it lists gpt-5-mini, other", ""},
		"no list":    {modelServer(t, "/chat/completions", 422, ""), "chat", "", "*", worker.StateOK, "it answers and speaks /chat/completions; it has no list of models", ""},
		"wrong key":  {modelServer(t, "/responses", 401, list), "responses", "key-of-this-test", "*", worker.StateFault, "the server does not accept the key (401): no such luck", "OPENAI_API_KEY"},
		"no key":     {modelServer(t, "/responses", 401, list), "responses", "", "*", worker.StateFault, "the server wants a key, and none is configured (401)", "OPENAI_API_KEY"},
		"other api":  {modelServer(t, "/chat/completions", 400, list), "responses", "", "*", worker.StateFault, "the server has no /responses (404)", "ERRAND_MODEL_API=chat"},
		"not listed": {modelServer(t, "/responses", 400, `{"data":[{"id":"llama"}]}`), "responses", "", "*", worker.StateWarning, `it does not list "gpt-5-mini", but llama`, "ERRAND_MODEL"},
		"no match":   {modelServer(t, "/responses", 400, list), "responses", "", "llama*", worker.StateWarning, `none of its 2 models matches "llama*"`, "models[].match"},
		"used up":    {modelServer(t, "/responses", 429, list), "responses", "key-of-this-test", "*", worker.StateWarning, "the server takes nothing for now (429): no such luck", "credit"},
		"broken":     {modelServer(t, "/responses", 500, list), "responses", "key-of-this-test", "*", worker.StateWarning, "the server answers, with an error (500)", "log"},
		"not there":  {"http://127.0.0.1:1/v1", "responses", "", "*", worker.StateFault, "no server answers: dial tcp 127.0.0.1:1: connect: connection refused", "OPENAI_BASE_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := look(t, worker.Config{Models: []worker.Endpoint{{Match: one.match, BaseURL: one.url, API: one.api, APIKey: worker.Secret(one.key)}}}, "model")
			require.Equal(t, one.state, f.State, f)
			require.Contains(t, f.Message, one.message)
			require.Contains(t, f.Fix, one.fix)
		})
	}
}

func TestACheckupOfTheRest(t *testing.T) {
	t.Parallel()
	require.Equal(t, worker.StateOff, look(t, worker.Config{}, "search").State)
	require.Equal(t, worker.StateOff, look(t, worker.Config{}, "skills").State)
	require.Equal(t, worker.StateOff, look(t, worker.Config{}, "fetch").State)
	require.Equal(t, "fetch_url may read a.example", look(t, worker.Config{Fetch: worker.Fetch{Hosts: []string{"a.example"}}}, "fetch").Message)

	searx := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"results":[{"url":"https://a.example","title":"a"}]}`)
	}))
	t.Cleanup(searx.Close)
	require.Equal(t, worker.StateOK, look(t, worker.Config{Search: worker.Search{Provider: "searxng", BaseURL: searx.URL}}, "search").State)
	f := look(t, worker.Config{Search: worker.Search{Provider: "searxng", BaseURL: "http://127.0.0.1:1"}}, "search")
	require.Equal(t, worker.StateFault, f.State)
	require.Contains(t, f.Message, "SearXNG cannot be reached")
	require.Contains(t, f.Fix, "ERRAND_SEARCH_URL")

	f = look(t, worker.Config{Files: worker.Files{Root: filepath.Join(t.TempDir(), "later")}}, "files")
	require.Equal(t, worker.StateOK, f.State)
	require.Contains(t, f.Message, "the first write_file makes it")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Equal(t, worker.StateFault, look(t, worker.Config{Files: worker.Files{Root: file}}, "files").State)
	root := t.TempDir()
	require.Equal(t, "the folder can be read and written", look(t, worker.Config{Files: worker.Files{Root: root}}, "files").Message)
	left, err := os.ReadDir(root)
	require.NoError(t, err)
	require.Empty(t, left)

	f = look(t, worker.Config{Skills: worker.Skills{Root: skillFolder(t, "no front matter")}}, "skills")
	require.Equal(t, worker.StateFault, f.State)
	require.Equal(t, worker.StateOK, look(t, worker.Config{Skills: worker.Skills{Root: skillFolder(t, "---\nname: mail\ndescription: d\n---\n")}}, "skills").State)
}

func TestACheckupListsTheToolsOfServers(t *testing.T) {
	t.Parallel()
	config := worker.Config{MCP: worker.MCP{Servers: []mcpconfig.Server{{Name: "gone", URL: "http://127.0.0.1:1/mcp"}}}}
	f := look(t, config, "mcp")
	require.Equal(t, worker.StateFault, f.State, f)
	require.Equal(t, "gone", f.Subject)
	require.Contains(t, f.Fix, "ERRAND_MCP_CONFIG")

	w, err := worker.New(config, worker.WithModel(silent{}))
	require.NoError(t, err)
	t.Cleanup(w.Stop)
	offer, err := w.Offer(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, offer.Warnings, 1)
	require.Contains(t, offer.Warnings[0], `tools[0]: the tools of server "gone" are not offered: `)
}

func TestACheckupEndsWithItsContext(t *testing.T) {
	t.Parallel()
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(hang.Close)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NotEmpty(t, worker.Checkup(ctx, worker.Config{Models: []worker.Endpoint{{Match: "*", BaseURL: hang.URL}}}, "m"))
}
