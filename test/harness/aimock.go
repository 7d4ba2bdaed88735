package harness

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// AimockServer is a running aimock: a model server that others wrote, to show
// that errand does not merely agree with our own double.
type AimockServer struct {
	// URL is the base URL for a client, such as OPENAI_BASE_URL.
	URL string

	root    string
	process *Process
}

// aimockStart is generous: node may start beside a compiler.
const aimockStart = 60 * time.Second

var aimockReady = regexp.MustCompile(`listening on (http://\S+)`)

// Aimock starts aimock for the length of a test. fixturesJSON is a file of
// aimock fixtures, {"fixtures":[{"match":{…},"response":{…}},…]}; the first
// whose match fits answers. Give every tool call an id: aimock invents those
// that are missing, so a retried request would get other ones.
func Aimock(t testing.TB, fixturesJSON string) *AimockServer {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("aimock needs Node.js 20 or later on PATH: install it, on Debian with apt install nodejs npm")
	}
	script, err := installAimock()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	fixtures, config := filepath.Join(dir, "fixtures.json"), filepath.Join(dir, "aimock.json")
	type llm struct {
		Fixtures string `json:"fixtures"`
		LogLevel string `json:"logLevel"`
	}
	// Not strict: then a request without a fixture is a 404, which fails a run
	// at once, and not a 503, which is retried.
	settings := encode(struct {
		LLM    llm  `json:"llm"`
		Strict bool `json:"strict"`
	}{LLM: llm{fixtures, "warn"}})
	for path, content := range map[string][]byte{fixtures: []byte(fixturesJSON), config: settings} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	process := StartProcess(t, Command{Path: node, Args: []string{script, "--config", config, "--port", "0"}})
	server := &AimockServer{process: process, root: process.WaitForMatch(t, aimockReady, aimockStart)[1]}
	server.URL = server.root + "/v1"
	server.get(t, "/health")
	return server
}

// Journal is aimock's own record of the requests, as JSON. It shows them
// converted to chat, whatever they were.
func (s *AimockServer) Journal(t testing.TB) []byte {
	t.Helper()
	return s.get(t, "/__aimock/journal")
}

func (s *AimockServer) get(t testing.TB, path string) []byte {
	t.Helper()
	response, err := http.Get(s.root + path)
	if err != nil {
		t.Fatalf("aimock: %v", err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("aimock: GET %s: %s %s %v", path, response.Status, body, err)
	}
	return body
}
