package builtin

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools/hosts"
)

func TestTheTimeoutOfAFetchIsNotTheEndOfTheCall(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(server.Close)
	f := newFetcher(hosts.List{Names: []string{"127.0.0.1"}}, nil)
	f.timeout = 50 * time.Millisecond
	_, err := f.fetch(t.Context(), server.URL)
	require.ErrorContains(t, err, "did not answer within 50ms")
	require.NotErrorIs(t, err, context.DeadlineExceeded)
}
