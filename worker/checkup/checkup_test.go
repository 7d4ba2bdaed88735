package checkup_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/storage"
	"errand/tools/mcp/mcpconfig"
	"errand/worker/checkup"
	"errand/worker/config"
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

// skillFolder holds one skill whose SKILL.md has that text.
func skillFolder(t *testing.T, text string) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "mail"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "mail", "SKILL.md"), []byte(text), 0o600))
	return root
}

// look is what a checkup says about one thing.
func look(t *testing.T, c config.Config, check string) checkup.Finding {
	t.Helper()
	if c.Files.Root == "" {
		c.Files.Root = t.TempDir()
	}
	for _, f := range checkup.Run(t.Context(), c, "gpt-5-mini") {
		if f.Check == check {
			return f
		}
	}
	require.Fail(t, "no finding", check)
	return checkup.Finding{}
}

func TestACheckupOfModelServersSaysWhatToDo(t *testing.T) {
	t.Parallel()
	const list = `{"object":"list","data":[{"id":"gpt-5-mini"},{"id":"other"}]}`
	for name, one := range map[string]struct {
		url, api, key, match string
		state                checkup.State
		message, fix         string
	}{
		"well":       {modelServer(t, "/responses", 400, list), "responses", "key-of-this-test", "*", checkup.StateOK, "it accepts the key and speaks /responses; it lists gpt-5-mini, other", ""},
		"no list":    {modelServer(t, "/chat/completions", 422, ""), "chat", "", "*", checkup.StateOK, "it answers and speaks /chat/completions; it has no list of models", ""},
		"wrong key":  {modelServer(t, "/responses", 401, list), "responses", "key-of-this-test", "*", checkup.StateFault, "the server does not accept the key (401): no such luck", "OPENAI_API_KEY"},
		"no key":     {modelServer(t, "/responses", 401, list), "responses", "", "*", checkup.StateFault, "the server wants a key, and none is configured (401)", "OPENAI_API_KEY"},
		"other api":  {modelServer(t, "/chat/completions", 400, list), "responses", "", "*", checkup.StateFault, "the server has no /responses (404)", "ERRAND_MODEL_API=chat"},
		"not listed": {modelServer(t, "/responses", 400, `{"data":[{"id":"llama"}]}`), "responses", "", "*", checkup.StateWarning, `it does not list "gpt-5-mini", but llama`, "ERRAND_MODEL"},
		"no match":   {modelServer(t, "/responses", 400, list), "responses", "", "llama*", checkup.StateWarning, `none of its 2 models matches "llama*"`, "models[].match"},
		"used up":    {modelServer(t, "/responses", 429, list), "responses", "key-of-this-test", "*", checkup.StateWarning, "the server takes nothing for now (429): no such luck", "credit"},
		"broken":     {modelServer(t, "/responses", 500, list), "responses", "key-of-this-test", "*", checkup.StateWarning, "the server answers, with an error (500)", "log"},
		"not there":  {"http://127.0.0.1:1/v1", "responses", "", "*", checkup.StateFault, "no server answers: dial tcp 127.0.0.1:1: connect: connection refused", "OPENAI_BASE_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := look(t, config.Config{Models: []config.Endpoint{{Match: one.match, BaseURL: one.url, API: one.api, APIKey: config.Secret(one.key)}}}, "model")
			require.Equal(t, one.state, f.State, f)
			require.Contains(t, f.Message, one.message)
			require.Contains(t, f.Fix, one.fix)
		})
	}
}

func TestACheckupOfTheRest(t *testing.T) {
	t.Parallel()
	require.Equal(t, checkup.StateOff, look(t, config.Config{}, "search").State)
	require.Equal(t, checkup.StateOff, look(t, config.Config{}, "skills").State)
	require.Equal(t, checkup.StateOff, look(t, config.Config{}, "fetch").State)
	require.Equal(t, "fetch_url may read a.example", look(t, config.Config{Fetch: config.Fetch{Hosts: []string{"a.example"}}}, "fetch").Message)

	searx := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"results":[{"url":"https://a.example","title":"a"}]}`)
	}))
	t.Cleanup(searx.Close)
	require.Equal(t, checkup.StateOK, look(t, config.Config{Search: config.Search{Provider: "searxng", BaseURL: searx.URL}}, "search").State)
	f := look(t, config.Config{Search: config.Search{Provider: "searxng", BaseURL: "http://127.0.0.1:1"}}, "search")
	require.Equal(t, checkup.StateFault, f.State)
	require.Contains(t, f.Message, "SearXNG cannot be reached")
	require.Contains(t, f.Fix, "ERRAND_SEARCH_URL")

	f = look(t, config.Config{Files: config.Files{Root: filepath.Join(t.TempDir(), "later")}}, "files")
	require.Equal(t, checkup.StateOK, f.State)
	require.Contains(t, f.Message, "the first write_file makes it")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Equal(t, checkup.StateFault, look(t, config.Config{Files: config.Files{Root: file}}, "files").State)
	root := t.TempDir()
	require.Equal(t, "the folder can be read and written", look(t, config.Config{Files: config.Files{Root: root}}, "files").Message)
	left, err := os.ReadDir(root)
	require.NoError(t, err)
	require.Empty(t, left)

	f = look(t, config.Config{Skills: config.Skills{Root: skillFolder(t, "no front matter")}}, "skills")
	require.Equal(t, checkup.StateFault, f.State)
	require.Equal(t, checkup.StateOK, look(t, config.Config{Skills: config.Skills{Root: skillFolder(t, "---\nname: mail\ndescription: d\n---\n")}}, "skills").State)
}

func TestACheckupListsTheToolsOfServers(t *testing.T) {
	t.Parallel()
	c := config.Config{MCP: config.MCP{Servers: []mcpconfig.Server{{Name: "gone", URL: "http://127.0.0.1:1/mcp"}}}}
	f := look(t, c, "mcp")
	require.Equal(t, checkup.StateFault, f.State, f)
	require.Equal(t, "gone", f.Subject)
	require.Contains(t, f.Fix, "ERRAND_MCP_CONFIG")
}

func TestACheckupEndsWithItsContext(t *testing.T) {
	t.Parallel()
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(hang.Close)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NotEmpty(t, checkup.Run(ctx, config.Config{Models: []config.Endpoint{{Match: "*", BaseURL: hang.URL}}}, "m"))
}

func TestACheckupOfTheStorageWritesAndReads(t *testing.T) {
	t.Parallel()
	c := config.Default()
	require.Equal(t, checkup.StateOff, look(t, c, "storage").State)

	c.Storage = storage.Config{Driver: storage.DriverDirectory, Directory: filepath.Join(t.TempDir(), "payloads")}
	found := look(t, c, "storage")
	require.Equal(t, checkup.StateOK, found.State, found.Message)
	require.Equal(t, "a probe was written, read and deleted; outputs are kept up to 8 MiB", found.Message)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	c.Storage.Directory = file
	found = look(t, c, "storage")
	require.Equal(t, checkup.StateFault, found.State)
	require.Contains(t, found.Message, file)
	require.Contains(t, found.Fix, "storage.directory")
}
