package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/mcp"
	"errand/tools/mcp/mcpconfig"
)

// sharedHTTP is a server of both HTTP transports. It takes its time for the
// calls with the key "held", and answers the first one with the key "bad" as
// mode says.
type sharedHTTP struct {
	mode string
	mu   sync.Mutex
	// calls counts by key; bad is true once a call was answered badly.
	calls map[string]int
	bad   bool
	took  chan struct{}
	done  <-chan struct{}
	// events is the newest stream of events, over SSE.
	events chan string
}

func (s *sharedHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	var m message
	_ = json.Unmarshal(raw, &m)
	sse := r.URL.Path == "/sse" || r.URL.Path == "/post"
	switch {
	case r.URL.Path == "/sse" && r.Method == http.MethodGet:
		s.stream(w, r)
		return
	case r.Method == http.MethodDelete: // who closes the session does not cut the other calls off meanwhile
		select {
		case <-r.Context().Done():
		case <-s.done:
		}
		return
	case r.Method != http.MethodPost || r.URL.Path == "/sse":
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var body strings.Builder
	switch m.Method {
	case "server/discover":
		_, _ = fmt.Fprintf(&body, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
	case "initialize":
		w.Header().Set("Mcp-Session-Id", "s")
		reply(&body, m.ID, badInit)
	case "tools/list":
		reply(&body, m.ID, badTools)
	case "tools/call":
		if !s.call(w, r, m, &body) {
			return
		}
	default:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if sse {
		s.mu.Lock()
		events := s.events
		s.mu.Unlock()
		w.WriteHeader(http.StatusAccepted)
		events <- body.String()
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body.String())
}

// call tells whether there is an answer to pass on.
func (s *sharedHTTP) call(w http.ResponseWriter, r *http.Request, m message, body io.Writer) bool {
	s.mu.Lock()
	s.calls[m.Params.Meta.Key]++
	first := !s.bad && m.Params.Meta.Key == "bad"
	s.bad = s.bad || first
	s.mu.Unlock()
	switch {
	case m.Params.Meta.Key == "held":
		s.took <- struct{}{}
		select {
		case <-r.Context().Done():
		case <-s.done:
		}
		return false
	case !first:
	case s.mode == "stale":
		w.WriteHeader(http.StatusNotFound)
		return false
	case s.mode == "malformed":
		reply(body, json.RawMessage(`"somebody-elses"`), text("not yours"))
		return true
	case s.mode == "too large":
		reply(body, m.ID, text(strings.Repeat("x", 100<<10)))
		return true
	}
	reply(body, m.ID, text("fine"))
	return true
}

func (s *sharedHTTP) stream(w http.ResponseWriter, r *http.Request) {
	events := make(chan string, 10)
	s.mu.Lock()
	s.events = events
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "event: endpoint\ndata: /post\n\n")
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case one := <-events:
			_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n\n", strings.TrimSpace(one))
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		}
	}
}

func keyed(t *testing.T, servers *mcp.Servers, key string) error {
	_, err := servers.Execute(t.Context(), tools.Invocation{
		Server: &tools.ServerDeclaration{Label: "bad"}, Remote: &tools.Remote{Server: "bad", Tool: "do"},
		Arguments: json.RawMessage(`{}`), Key: key, Effect: tools.EffectOnce, Progress: func(string) {},
	})
	return err
}

func TestCallIsNotRepeatedWhenAnotherEndsTheConnectionThatItIsInFlightOn(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ transport, mode string }{
		{mcpconfig.TransportHTTP, "stale"},
		{mcpconfig.TransportHTTP, "malformed"},
		{mcpconfig.TransportHTTP, "too large"},
		{mcpconfig.TransportSSE, "stale"},
	} {
		t.Run(row.transport+" "+row.mode, func(t *testing.T) {
			t.Parallel()
			over, path := make(chan struct{}), ""
			if row.transport == mcpconfig.TransportSSE {
				path = "/sse"
			}
			s := &sharedHTTP{mode: row.mode, calls: map[string]int{}, took: make(chan struct{}, 10), done: over}
			server := httptest.NewServer(s)
			t.Cleanup(server.Close)
			servers := mcp.New(mcp.Options{Servers: []mcpconfig.Server{{
				Name: "bad", URL: server.URL + path, Transport: row.transport, PoolSize: 1, StartTimeout: 5 * time.Second, MaxResponse: 64 << 10,
			}}})
			t.Cleanup(servers.Close)
			t.Cleanup(func() { close(over) })
			require.NoError(t, keyed(t, servers, "warm"))
			held := make(chan error, 1)
			go func() { held <- keyed(t, servers, "held") }()
			<-s.took
			_ = keyed(t, servers, "bad") // how it ends itself is not what this is about
			var failed *tools.CallError
			select {
			case err := <-held:
				require.ErrorAs(t, err, &failed)
			case <-s.took:
				t.Fatal("it was executed twice")
			case <-time.After(20 * time.Second):
				t.Fatal("it waits for an answer that cannot come")
			}
			require.Equal(t, tools.Unknown, failed.Status, failed.Message)
			require.Contains(t, failed.Message, "the connection ended with another request")
			s.mu.Lock()
			defer s.mu.Unlock()
			require.Equal(t, 1, s.calls["held"])
		})
	}
}
