package mcp_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/mcp"
	"errand/tools/mcp/mcpconfig"
)

// badHTTP is a server over Streamable HTTP that misbehaves.
type badHTTP struct {
	mode string
	mu   sync.Mutex
	// session is the one that the server knows.
	session   int
	heard     []message
	headers   []http.Header
	opened    atomic.Int64
	cancelled chan message
	tools     string
}

func startHTTP(t *testing.T, mode string) (*badHTTP, string) {
	t.Helper()
	b := &badHTTP{mode: mode, cancelled: make(chan message, 10), tools: badTools}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return b, server.URL
}

func over(t *testing.T, url string, change func(*mcpconfig.Server)) *mcp.Servers {
	t.Helper()
	s := mcpconfig.Server{Name: "bad", URL: url, Transport: mcpconfig.TransportHTTP, StartTimeout: 5 * time.Second, PoolSize: 1}
	if change != nil {
		change(&s)
	}
	servers := mcp.New(mcp.Options{Servers: []mcpconfig.Server{s}})
	t.Cleanup(servers.Close)
	return servers
}

func (b *badHTTP) sessionID() string { return fmt.Sprintf("s%d", b.session) }

func (b *badHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	var m message
	_ = json.Unmarshal(raw, &m)
	b.mu.Lock()
	b.heard, b.headers = append(b.heard, m), append(b.headers, r.Header.Clone())
	known := r.Header.Get("Mcp-Session-Id") == b.sessionID()
	b.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case m.Method == "server/discover":
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
	case m.Method == "initialize":
		b.opened.Add(1)
		w.Header().Set("Mcp-Session-Id", b.sessionID())
		reply(w, m.ID, badInit)
	case !known && strings.HasPrefix(b.mode, "stale"):
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`)
	case m.Method == "notifications/cancelled":
		b.cancelled <- m
		w.WriteHeader(http.StatusAccepted)
	case strings.HasPrefix(m.Method, "notifications/"):
		w.WriteHeader(http.StatusAccepted)
	case m.Method == "tools/list":
		b.mu.Lock()
		list := b.tools
		b.mu.Unlock()
		reply(w, m.ID, list)
	default:
		b.call(w, r, m)
	}
}

func (b *badHTTP) call(w http.ResponseWriter, r *http.Request, m message) {
	switch b.mode {
	case "wrong id":
		reply(w, json.RawMessage(`"somebody-elses"`), text("not yours"))
	case "no answer":
		<-r.Context().Done()
	case "256 MiB":
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, m.ID)
		flood(w, 256<<20)
	case "endless line":
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: ")
		flood(w, 1<<40)
	case "endless data":
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := io.WriteString(w, "data: "+strings.Repeat("x", 1000)+"\n"); err != nil {
				return
			}
		}
	case "gzip bomb":
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		_, _ = fmt.Fprintf(zip, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, m.ID)
		flood(zip, 512<<20)
		_ = zip.Close()
	case "gzip":
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		reply(zip, m.ID, text("unpacked"))
		_ = zip.Close()
	case "busy once":
		if b.opened.Add(100) == 101 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		reply(w, m.ID, text("at last"))
	case "broken":
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, "the database is gone")
	case "closed":
		w.WriteHeader(http.StatusUnauthorized)
	case "hangs up":
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = c.Close()
		}
	case "cut stream":
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, ": hello\n\n")
	case "error with data":
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"pay first","data":{"url":"x"}}}`, m.ID)
	case "not JSON":
		_, _ = io.WriteString(w, `{"jsonrpc":`)
	default:
		reply(w, m.ID, text("fine"))
	}
}

func TestMisbehavingHTTPServersGiveTypedOutcomesInTime(t *testing.T) { //nolint:paralleltest // memory is measured
	for _, row := range []struct {
		mode, kind, says string
		status           tools.OutcomeStatus
	}{
		{mode: "wrong id", status: tools.Unknown, kind: tools.ErrOutcomeUnknown, says: "id of another request"},
		{mode: "no answer", kind: tools.ErrTimedOut},
		{mode: "256 MiB", status: tools.Failed, kind: tools.ErrOutputTooLarge},
		{mode: "endless line", status: tools.Failed, kind: tools.ErrOutputTooLarge},
		{mode: "endless data", status: tools.Failed, kind: tools.ErrOutputTooLarge},
		{mode: "gzip bomb", status: tools.Failed, kind: tools.ErrOutputTooLarge},
		{mode: "gzip"},
		{mode: "busy once"},
		{mode: "broken", status: tools.Unknown, kind: tools.ErrOutcomeUnknown, says: "HTTP 500: the database is gone"},
		{mode: "closed", status: tools.Failed, kind: tools.ErrExecutionFailed, says: "HTTP 401"},
		{mode: "hangs up", status: tools.Unknown, kind: tools.ErrOutcomeUnknown},
		{mode: "cut stream", status: tools.Unknown, kind: tools.ErrOutcomeUnknown},
		{mode: "error with data", status: tools.Failed, kind: tools.ErrExecutionFailed, says: "error -32042: pay first"},
		{mode: "not JSON", status: tools.Unknown, kind: tools.ErrOutcomeUnknown},
	} {
		t.Run(row.mode, func(t *testing.T) {
			_, url := startHTTP(t, row.mode)
			servers := over(t, url, nil)
			grown := growth(func() {
				limit := 30 * time.Second
				if row.kind == tools.ErrTimedOut {
					limit = 500 * time.Millisecond
				}
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				_, err := call(ctx, servers, "bad", tools.EffectOnce, nil)
				var failed *tools.CallError
				switch row.kind {
				case "":
					require.NoError(t, err)
				case tools.ErrTimedOut:
					require.ErrorIs(t, err, context.DeadlineExceeded)
				default:
					require.ErrorAs(t, err, &failed)
					require.Equal(t, row.kind, failed.Type, failed.Message)
					require.Equal(t, row.status, failed.Status)
					require.Contains(t, failed.Message, row.says)
				}
			})
			require.Less(t, grown, mostGrowth)
		})
	}
}

func TestServerIsToldOfACancelledCallWithTheIDThatItKnows(t *testing.T) {
	t.Parallel()
	b, url := startHTTP(t, "no answer")
	servers := over(t, url, nil)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	_, err := call(ctx, servers, "bad", tools.EffectOnce, nil)
	require.ErrorIs(t, err, context.Canceled)
	select {
	case m := <-b.cancelled:
		b.mu.Lock()
		defer b.mu.Unlock()
		var id json.RawMessage
		for _, h := range b.heard {
			if h.Method == "tools/call" {
				id = h.ID
			}
		}
		require.JSONEq(t, string(id), string(m.Params.RequestID))
	case <-time.After(20 * time.Second):
		t.Fatal("the server was not told")
	}
}

func TestStaleSessionIsReplacedAndTheCallMadeOnce(t *testing.T) {
	t.Parallel()
	b, url := startHTTP(t, "stale")
	servers := over(t, url, nil)
	_, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil)
	require.NoError(t, err)
	b.mu.Lock()
	b.session++ // the server has restarted
	b.mu.Unlock()
	out, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil)
	require.NoError(t, err)
	require.Equal(t, "fine", out.Content)
	require.EqualValues(t, 2, b.opened.Load())
}

func TestCallsCarryTheirKeyAndCredentialsAndIDsOfTheirOwn(t *testing.T) {
	t.Parallel()
	b, url := startHTTP(t, "")
	servers := over(t, url, func(s *mcpconfig.Server) { s.Headers = map[string]tools.Secret{"X-Api-Key": "k"} })
	for range 3 {
		_, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil)
		require.NoError(t, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	ids := map[string]bool{}
	for i, m := range b.heard {
		require.Equal(t, "k", b.headers[i].Get("X-Api-Key"), m.Method)
		if m.Method == "tools/call" {
			require.Equal(t, "run/1/0", b.headers[i].Get(mcp.KeyHeader))
			require.Equal(t, "run/1/0", m.Params.Meta.Key)
			require.Empty(t, b.headers[i].Get("Idempotency-Key"), "Go's client would repeat the request by itself")
		}
		if m.ID != nil {
			require.False(t, ids[string(m.ID)], "an id was used twice")
			ids[string(m.ID)] = true
		}
	}
}

func TestManyCallsShareAtMostPoolSizeConnections(t *testing.T) {
	t.Parallel()
	b, url := startHTTP(t, "")
	servers := over(t, url, func(s *mcpconfig.Server) { s.PoolSize = 3 })
	var all sync.WaitGroup
	var failures atomic.Int64
	for range 100 {
		all.Go(func() {
			if _, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil); err != nil {
				failures.Add(1)
			}
		})
	}
	all.Wait()
	require.Zero(t, failures.Load())
	require.LessOrEqual(t, b.opened.Load(), int64(3))
}

func TestRedirectToAnotherHostIsNotFollowed(t *testing.T) {
	t.Parallel()
	_, target := startHTTP(t, "")
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, target, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(front.Close)
	servers := over(t, front.URL, func(s *mcpconfig.Server) { s.Headers = map[string]tools.Secret{"X-Api-Key": "k"} })
	listing, err := servers.List(t.Context(), tools.ServerDeclaration{Label: "bad"}, "tools[0]")
	require.NoError(t, err)
	require.Contains(t, listing.Failure, "redirects to another host")
}

func TestRequestsBringOnlyServersOfAllowedHosts(t *testing.T) {
	t.Parallel()
	b, url := startHTTP(t, "")
	for name, row := range map[string]struct {
		hosts     []string
		d         tools.ServerDeclaration
		fault     string
		warns     string
		wantToken string
	}{
		"no host is allowed": {d: tools.ServerDeclaration{URL: url}, fault: "tools[0].server_url"},
		"another host":       {hosts: []string{"mcp.example.com"}, d: tools.ServerDeclaration{URL: url}, fault: "tools[0].server_url"},
		"not a URL":          {hosts: []string{"127.0.0.1"}, d: tools.ServerDeclaration{URL: "file:///etc/passwd"}, fault: "tools[0].server_url"},
		"unknown label":      {d: tools.ServerDeclaration{}, fault: "tools[0].server_label"},
		"unknown secret":     {hosts: []string{"127.0.0.1"}, d: tools.ServerDeclaration{URL: url, Authorization: "${secret:nope}"}, fault: "tools[0].authorization"},
		"a secret":           {hosts: []string{"127.0.0.1"}, d: tools.ServerDeclaration{URL: url, Authorization: "${secret:db}"}, wantToken: "Bearer t0ken"},
		"a literal one":      {hosts: []string{"127.0.0.1"}, d: tools.ServerDeclaration{URL: url, Authorization: "abc"}, wantToken: "Bearer abc", warns: "plain text"},
		"an idempotency header": {
			hosts: []string{"127.0.0.1"}, d: tools.ServerDeclaration{URL: url, Headers: map[string]string{"Idempotency-Key": "x"}},
			fault: "tools[0].headers.Idempotency-Key",
		},
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // they share the server's notes
			servers := mcp.New(mcp.Options{Hosts: row.hosts, Secrets: map[string]tools.Secret{"db": "t0ken"}})
			t.Cleanup(servers.Close)
			row.d.Label = "brought"
			listing, err := servers.List(t.Context(), row.d, "tools[0]")
			require.NoError(t, err)
			if row.fault != "" {
				require.Len(t, listing.Faults, 1)
				require.Equal(t, row.fault, listing.Faults[0].Path)
				return
			}
			require.Empty(t, listing.Faults)
			require.Empty(t, listing.Failure)
			require.Contains(t, strings.Join(listing.Warnings, "\n"), row.warns)
			require.NotContains(t, strings.Join(listing.Warnings, "\n"), "abc")
			if row.wantToken != "" {
				require.True(t, listing.Tools[0].Descriptor.Approval, "a server that the request brings needs approvals")
				b.mu.Lock()
				defer b.mu.Unlock()
				require.Equal(t, row.wantToken, b.headers[len(b.headers)-1].Get("Authorization"))
			}
		})
	}
}

const mixedTools = `{"tools":[
	{"name":"good","description":"Good.","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","oneOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"type":"integer","maximum":9007199254740993}}},"annotations":{"readOnlyHint":true}},
	{"name":"no schema"},
	{"name":"php","inputSchema":{"type":"object","properties":[],"required":true}},
	{"name":"uncompilable","inputSchema":{"type":"object","properties":{"x":{"type":"any"}}}},
	{"name":"outside","inputSchema":{"$ref":"file:///etc/passwd"}},
	{"name":17}, "not a tool", {"description":"nameless"}, {"name":"bool","inputSchema":true},
	{"name":"good","inputSchema":{}},
	{"name":"bad hints","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"true"},"outputSchema":true}
]}`

func TestMalformedToolsAreLeftOutAndTheirSiblingsStayWhole(t *testing.T) {
	t.Parallel()
	b, url := startHTTP(t, "")
	b.tools = mixedTools
	servers := over(t, url, func(s *mcpconfig.Server) { s.Trusted = true })
	listing, err := servers.List(t.Context(), tools.ServerDeclaration{Label: "bad"}, "tools[0]")
	require.NoError(t, err)
	names := []string{}
	for _, one := range listing.Tools {
		names = append(names, one.Descriptor.Remote.Tool)
	}
	require.Equal(t, []string{"good", "no schema", "php", "uncompilable", "outside", "bad hints"}, names)
	good := listing.Tools[0].Descriptor
	require.Contains(t, string(good.Parameters), "9007199254740993", "as the server wrote it")
	require.Contains(t, string(good.Parameters), "oneOf")
	require.Equal(t, tools.EffectRead, good.Effect)
	require.Equal(t, tools.EffectOnce, listing.Tools[5].Descriptor.Effect)
	require.JSONEq(t, `{"type":"object","properties":{}}`, string(listing.Tools[2].Descriptor.Parameters))
	all := strings.Join(listing.Warnings, "\n")
	for _, want := range []string{`"uncompilable" are not checked`, `"outside" are not checked`, "number 6", "number 7", "number 8", "bool is left out", "listed twice", "output schema"} {
		require.Contains(t, all, want)
	}
}

func TestAnnotationsOfServersThatAreNotTrustedCountForNothing(t *testing.T) {
	t.Parallel()
	b, url := startHTTP(t, "")
	b.tools = mixedTools
	servers := over(t, url, func(s *mcpconfig.Server) {
		yes := true
		s.Tools = map[string]mcpconfig.Override{"php": {Effect: tools.EffectIdempotent, Checkpointable: &yes}}
		s.Approval = json.RawMessage(`{"never":{"tool_names":["php"]}}`)
	})
	listing, err := servers.List(t.Context(), tools.ServerDeclaration{Label: "bad", AllowedTools: json.RawMessage(`["good","php","nope"]`)}, "tools[0]")
	require.NoError(t, err)
	require.Len(t, listing.Tools, 2)
	require.Equal(t, tools.EffectOnce, listing.Tools[0].Descriptor.Effect)
	require.True(t, listing.Tools[0].Descriptor.Capabilities.Writes)
	require.True(t, listing.Tools[0].Descriptor.Approval)
	require.Equal(t, tools.EffectIdempotent, listing.Tools[1].Descriptor.Effect)
	require.True(t, listing.Tools[1].Descriptor.Capabilities.Checkpointable)
	require.False(t, listing.Tools[1].Descriptor.Approval)
	require.Contains(t, strings.Join(listing.Warnings, "\n"), `"nope"`)
}

func TestToolThatHasChangedSinceTheRunBeganWarnsOrIsRefused(t *testing.T) {
	t.Parallel()
	for policy, refused := range map[string]bool{mcpconfig.OnChangeWarn: false, mcpconfig.OnChangeRefuse: true} {
		_, url := startHTTP(t, "")
		servers := over(t, url, func(s *mcpconfig.Server) { s.OnToolChange = policy })
		out, err := servers.Execute(t.Context(), tools.Invocation{
			Server: &tools.ServerDeclaration{Label: "bad"}, Remote: &tools.Remote{Server: "bad", Tool: "do", Digest: "another"},
		})
		if refused {
			var failed *tools.CallError
			require.ErrorAs(t, err, &failed)
			require.Equal(t, tools.ErrBlocked, failed.Type)
			continue
		}
		require.NoError(t, err)
		require.Contains(t, strings.Join(out.Warnings, "\n"), "has changed since the run began")
	}
}

func TestWarmCallAsksForNoListAgain(t *testing.T) {
	t.Parallel()
	b, url := startHTTP(t, "")
	servers := over(t, url, nil)
	for range 5 {
		_, err := call(t.Context(), servers, "bad", tools.EffectOnce, nil)
		require.NoError(t, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	lists := 0
	for _, m := range b.heard {
		if m.Method == "tools/list" {
			lists++
		}
	}
	require.Equal(t, 1, lists)
}
