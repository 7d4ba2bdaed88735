package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/web"
)

func TestFaultsOfAProviderAreTexts(t *testing.T) {
	t.Parallel()
	status := func(code int, body string, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			_, _ = fmt.Fprint(w, body)
		}
	}
	token := `{"type":"ErrorResponse","error":{"id":"1","status":422,"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"The provided subscription token is invalid."},"time":1}`
	for name, one := range map[string]struct {
		handler http.HandlerFunc
		brave   bool
		want    string
	}{
		"rate limit":     {status(429, "Too Many Requests", "Retry-After", "90"), false, "SearXNG answered 429 Too Many Requests: Too Many Requests; it can be asked again in 1m30s"},
		"monthly limit":  {status(429, `{"error":{"code":"RATE_LIMITED","detail":"Request rate limit exceeded for plan."}}`, "X-RateLimit-Remaining", "1, 0", "X-RateLimit-Reset", "1, 1419704"), true, "Brave Search answered 429 Too Many Requests: RATE_LIMITED Request rate limit exceeded for plan; it can be asked again in 394h21m44s"},
		"server error":   {status(500, "<html><style>p{}</style><h1>Oops</h1></html>"), false, "SearXNG answered 500 Internal Server Error: Oops; try again later, or answer with what you have"},
		"json is off":    {status(403, ""), false, "SearXNG answered 403 Forbidden: JSON must be among search.formats in its settings.yml"},
		"key":            {status(422, token), true, "Brave Search answered 422 Unprocessable Entity: SUBSCRIPTION_TOKEN_INVALID The provided subscription token is invalid (the worker's key for it is not accepted)"},
		"redirect":       {status(302, "", "Location", "http://169.254.169.254/"), true, "Brave Search answered 302 Found: it redirects to another address: configure that one"},
		"a page":         {status(200, "<html>welcome</html>", "Content-Type", "text/html"), false, "SearXNG did not answer with its JSON (text/html): check the address of the search provider"},
		"nothing":        {status(200, ""), true, "Brave Search did not answer with its JSON (no Content-Type): check the address of the search provider"},
		"another object": {status(200, `{"results":7}`, "Content-Type", "application/json"), false, "SearXNG did not answer with its JSON (application/json): check the address of the search provider"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := serve(t, one.handler)
			s := searxng(t, at)
			if one.brave {
				s = brave(t, at)
			}
			out, err := call(t, s, tools.WebSearch{}, `{"query":"q"}`)
			require.EqualError(t, err, one.want)
			require.NotContains(t, err.Error(), "secret-key")
			require.Nil(t, out.Public)
			require.Len(t, at.requests(), 1)
		})
	}
}

func TestAShortWaitIsWaitedFor(t *testing.T) {
	t.Parallel()
	first := true
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if first {
			first = false
			w.Header().Set("X-RateLimit-Remaining", "0, 1000")
			w.Header().Set("X-RateLimit-Reset", "1, 1419704")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		says(braveBody)(w, r)
	})
	out, err := call(t, brave(t, at), tools.WebSearch{}, `{"query":"q"}`)
	require.NoError(t, err)
	require.Contains(t, content(t, out), "First")
	require.Len(t, at.requests(), 2)
}

func TestASilentProviderIsATimeoutOfTheSearchOnly(t *testing.T) {
	t.Parallel()
	at := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	s := source(t, web.Config{Provider: web.SearXNG, BaseURL: at.URL, Timeout: 100 * time.Millisecond})
	_, err := call(t, s, tools.WebSearch{}, `{"query":"q"}`)
	require.EqualError(t, err, "SearXNG did not answer within 100ms; try again later, or answer with what you have")
	require.NotErrorIs(t, err, context.DeadlineExceeded)
}

func TestACancelledSearchIsNoFailureOfTheProvider(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	at := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := searxng(t, at).Execute(ctx, "web_search", tools.Invocation{Arguments: []byte(`{"query":"q"}`), Progress: func(string) {}})
	require.ErrorIs(t, err, context.Canceled)
}

func TestAProviderThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := source(t, web.Config{Provider: web.SearXNG, BaseURL: "http://127.0.0.1:1"})
	_, err := call(t, s, tools.WebSearch{}, `{"query":"q"}`)
	require.ErrorContains(t, err, "SearXNG cannot be reached: ")
	require.ErrorContains(t, err, "connection refused")
}

func TestALargeAnswerIsNotReadWhole(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"results":[{"content":"`)
		piece := strings.Repeat("x", 1<<20)
		for range 50 {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := call(t, searxng(t, at), tools.WebSearch{}, `{"query":"q"}`)
	require.EqualError(t, err, "SearXNG sent more than 2097152 bytes; ask for something narrower")
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(100<<20))
}
