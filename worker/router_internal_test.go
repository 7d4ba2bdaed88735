package worker

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
)

// named answers with its own name.
type named string

func (n named) Infer(context.Context, model.Request) (model.Answer, error) {
	return model.Answer{Model: string(n)}, nil
}

func TestFirstMatchingEndpointServes(t *testing.T) {
	t.Parallel()
	routes := router{
		{Endpoint{Match: "gpt-5-mini"}, named("exact")},
		{Endpoint{Match: "gpt-[0-9]*"}, named("family")},
		{Endpoint{Match: "meta-llama/*"}, named("slash")},
		{Endpoint{Match: "*"}, named("rest")},
	}
	for name, want := range map[string]string{
		"gpt-5-mini": "exact", "gpt-5": "family", "gpt-x": "rest", "meta-llama/Llama-3/q4": "slash",
		"other/model": "rest", "": "rest",
	} {
		answer, err := routes.Infer(t.Context(), model.Request{Model: name})
		require.NoError(t, err)
		require.Equal(t, want, answer.Model, name)
	}
}

func TestModelThatNobodyServesIsRejectedForGood(t *testing.T) {
	t.Parallel()
	_, err := router{{Endpoint{Match: "gpt-*"}, named("gpt")}}.Infer(t.Context(), model.Request{Model: "claude"})
	var refusal *model.Error
	require.ErrorAs(t, err, &refusal)
	require.True(t, refusal.Permanent)
	require.ErrorContains(t, err, `"claude"`)
	require.ErrorContains(t, err, "models in the worker's configuration")
}

func TestStreamingReachesTheModel(t *testing.T) {
	t.Parallel()
	asked := make(chan []byte, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked <- body
		<-r.Context().Done() // a server that has stalled
	}))
	defer server.Close()
	routes, err := newRouter([]Endpoint{{
		Match: "*", BaseURL: server.URL, API: "chat", Stream: true, IdleTimeout: 100 * time.Millisecond,
	}})
	require.NoError(t, err)
	_, err = routes.Infer(t.Context(), model.Request{Model: "m"})
	require.ErrorContains(t, err, "the server sent nothing for 100ms")
	require.Contains(t, string(<-asked), `"stream":true`)
}
