package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/test/harness"
	"errand/worker"
)

// modelSite answers as a server of models that takes every key.
func modelSite(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			_, _ = w.Write([]byte(`{"data":[{"id":"gpt-5-mini"}]}`))
			return
		}
		w.WriteHeader(http.StatusBadRequest)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

func TestDoctorFindsEverythingWell(t *testing.T) {
	t.Parallel()
	p := setUp(t, harness.Rounds(harness.Say("unused")))
	p.environ = append(p.environ, "OPENAI_BASE_URL="+modelSite(t))
	got := p.call(t, "doctor")
	require.Equal(t, exitOK, got.code, got.out+got.err)
	for _, want := range []string{
		"ok   errand      version ", "it answers, Temporal 1.", "default: it is there; runs that have ended are kept for ",
		"1 worker waits for runs: ", "it answers and speaks /responses; it lists gpt-5-mini",
		"off  search      no search provider", "the folder can be read and written",
	} {
		require.Contains(t, got.out, want)
	}
	require.NotContains(t, got.out, "\nfault ")
}

func TestDoctorSaysWhatIsWrongAndGoesOn(t *testing.T) {
	t.Parallel()
	environ := []string{
		"TEMPORAL_ADDRESS=127.0.0.1:1", "TEMPORAL_CONFIG_FILE=/dev/null", "OPENAI_BASE_URL=http://127.0.0.1:1/v1",
		"ERRAND_FILES_ROOT=" + t.TempDir(), "ERRAND_SEARCH_PROVIDER=searxng", "ERRAND_SEARCH_URL=http://127.0.0.1:1",
	}
	got := call(t, "errand", environ, "", "doctor", "--json")
	require.Equal(t, exitFailed, got.code)
	require.JSONEq(t, `{"error":{"message":"3 checks failed","type":"ChecksFailed","faults":[]}}`, got.err)
	var body struct{ Findings []worker.Finding }
	require.NoError(t, json.Unmarshal([]byte(got.out), &body))
	states := map[string]worker.State{}
	for _, f := range body.Findings {
		states[f.Check] = f.State
		require.NotEmpty(t, f.Message)
	}
	require.Equal(t, map[string]worker.State{
		"errand": "ok", "temporal": "fault", "model": "fault", "search": "fault", "files": "ok", "skills": "off", "fetch": "off", "storage": "off",
	}, states)
	require.Contains(t, got.out, `cannot reach Temporal at 127.0.0.1:1: start one with \"errand dev\", or set TEMPORAL_ADDRESS`)
}

func TestDoctorOfABrokenConfigurationAndAnEmptyQueue(t *testing.T) {
	t.Parallel()
	p := setUp(t, nil)
	p.environ = append(p.environ, "ERRAND_LOG_LEVEL=loud", "ERRAND_SEARCH_PROVIDER=google")
	got := p.call(t, "doctor")
	require.Equal(t, exitFailed, got.code)
	require.Contains(t, got.out, "no worker waits for runs: they would stand still")
	require.Contains(t, got.out, `→ start one with "errand worker"`)
	require.Contains(t, got.out, `ERRAND_LOG_LEVEL: "loud": must be one of debug, info, warn, error`)
	require.Contains(t, got.out, "ERRAND_SEARCH_PROVIDER")
	require.Contains(t, got.out, "were not checked")
	require.Contains(t, got.err, "2 checks failed")

	got = p.call(t, "doctor", "--namespace", "nowhere")
	require.Contains(t, got.out, `has no namespace "nowhere": set --namespace or TEMPORAL_NAMESPACE`)
}

func TestToolsListsWhatAWorkerHas(t *testing.T) {
	t.Parallel()
	environ := []string{"TEMPORAL_CONFIG_FILE=/dev/null", "ERRAND_SEARCH_PROVIDER=brave", "ERRAND_SEARCH_KEY=secret-key"}
	got := call(t, "errand", environ, "", "tools")
	require.Equal(t, exitOK, got.code, got.err)
	lines := strings.Split(got.out, "\n")
	require.Equal(t, []string{"TOOL", "OWNER", "SOURCE", "EFFECT", "NOTES"}, strings.Fields(lines[0]))
	require.Contains(t, got.out, "write_file  gateway  platform    ")
	require.Contains(t, got.out, "web_search  gateway  web_search  read")
	require.NotContains(t, got.out, "secret-key")
}

func TestToolsOfARequestShowsItsFaults(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "request.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"model":"m","input":"x","tools":[{"type":"platform","name":"now"},{"type":"web_search"},
		{"type":"custom","name":"ask human","checkpointable":true},{"type":"function","name":"now"}]}`), 0o600))
	environ := []string{"TEMPORAL_CONFIG_FILE=/dev/null"}
	got := call(t, "errand", environ, "", "tools", "--file", file)
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.out, "not offered to the model")
	require.Contains(t, got.out, "the model sees ask_human_")
	require.Contains(t, got.err, "warning: tools[1]: web_search is not offered to the model")
	require.Contains(t, got.err, `tools[3].name: function "now" clashes with platform "now" of tools[0]: rename one`)

	got = call(t, "errand", environ, "", "tools", "--file", file, "--json")
	require.Equal(t, exitUsage, got.code)
	var offer worker.Offer
	require.NoError(t, json.Unmarshal([]byte(got.out), &offer))
	require.Len(t, offer.Tools, 3)
	require.Len(t, offer.Faults, 1)

	got = call(t, "errand", environ, "[", "tools", "-f", "-")
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.err, "standard input must hold one JSON object")
}
