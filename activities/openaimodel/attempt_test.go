package openaimodel_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel"
)

func TestEachAPIHasItsPath(t *testing.T) {
	t.Parallel()
	for api, want := range map[string]string{"": "/v1/responses", openaimodel.Responses: "/v1/responses", openaimodel.Chat: "/v1/chat/completions"} {
		for _, slash := range []string{"", "/"} {
			reply := emptyResponse
			if api == openaimodel.Chat {
				reply = emptyChat
			}
			m := answer(t, http.StatusOK, reply)
			client := build(t, openaimodel.Config{BaseURL: m.URL + "/v1" + slash, API: api})
			_, err := client.Infer(t.Context(), model.Request{Model: "m"})
			require.NoError(t, err)
			got := m.only(t)
			require.Equal(t, want, got.path)
			require.Equal(t, http.MethodPost, got.method)
			require.Equal(t, "application/json", got.header.Get("Content-Type"))
		}
	}
}

func TestHeadersAndKeyAreSent(t *testing.T) {
	t.Parallel()
	m := answer(t, http.StatusOK, emptyResponse)
	client := build(t, openaimodel.Config{BaseURL: m.URL, APIKey: testKey, Headers: map[string]string{"X-Team": "blue"}})
	for _, key := range []string{"run_1/3/infer", "", "bestellung-ä\n/1"} {
		_, err := client.Infer(t.Context(), model.Request{Model: "m", Key: key})
		require.NoError(t, err)
	}
	require.Len(t, m.seen(), 3)
	for i, want := range []string{"run_1/3/infer", "", "bestellung-%C3%A4%0A%2F1"} {
		got := m.seen()[i].header
		require.Equal(t, "Bearer "+testKey, got.Get("Authorization"))
		require.Equal(t, "blue", got.Get("X-Team"))
		require.Equal(t, want, got.Get("Idempotency-Key"))
	}
	require.Empty(t, m.seen()[1].header.Values("Idempotency-Key"))
}

// The environment belongs to the process; it may hold a key for another server.
func TestEnvironmentReachesNoRequest(t *testing.T) {
	elsewhere := answer(t, http.StatusOK, emptyResponse)
	for name, value := range map[string]string{
		"OPENAI_API_KEY": "sk-environment", "OPENAI_ADMIN_KEY": "sk-environment",
		"OPENAI_BASE_URL": elsewhere.URL, "OPENAI_ORG_ID": "org-environment",
		"OPENAI_PROJECT_ID": "proj-environment", "OPENAI_CUSTOM_HEADERS": "X-Leak: sk-environment",
		"HTTP_PROXY": elsewhere.URL, "http_proxy": elsewhere.URL,
	} {
		t.Setenv(name, value)
	}
	for api, reply := range map[string]string{openaimodel.Responses: emptyResponse, openaimodel.Chat: emptyChat} {
		m := answer(t, http.StatusOK, reply)
		_, err := build(t, openaimodel.Config{BaseURL: m.URL, API: api}).Infer(t.Context(), model.Request{Model: "m"})
		require.NoError(t, err)
		got := m.only(t)
		require.Empty(t, got.header.Values("Authorization"))
		for name, values := range got.header {
			require.NotContains(t, strings.Join(values, " "), "environment", name)
		}
	}
	// A proxy is never asked for a local server, so this takes a far one.
	_, err := build(t, openaimodel.Config{BaseURL: "http://model.invalid/v1"}).Infer(t.Context(), model.Request{Model: "m"})
	require.Error(t, err)
	require.Empty(t, elsewhere.seen())
}

func TestFailureIsNotRetried(t *testing.T) {
	t.Parallel()
	for _, headers := range [][]string{nil, {"X-Should-Retry", "true", "Retry-After", "0"}} {
		m := answer(t, http.StatusInternalServerError, `{"error":{"message":"boom"}}`, headers...)
		require.False(t, refused(t, m, openaimodel.Responses).Permanent)
		m.only(t)
	}
}

func TestRedirectToAnotherHostIsRefused(t *testing.T) {
	t.Parallel()
	elsewhere := answer(t, http.StatusOK, emptyResponse)
	for _, status := range []int{301, 302, 303, 307, 308} {
		m := answer(t, status, "", "Location", elsewhere.URL+"/v2?token=abc")
		failure := refused(t, m, openaimodel.Responses)
		require.True(t, failure.Permanent)
		require.Equal(t, status, failure.Status)
		require.Contains(t, failure.Message, elsewhere.URL+"/v2 is not followed; set the base URL")
		require.NotContains(t, failure.Message, "abc")
	}
	require.Empty(t, elsewhere.seen())
}

func TestRedirectWithinAHostKeepsThePost(t *testing.T) {
	t.Parallel()
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/responses" {
			http.Redirect(w, r, "/v1/responses/", http.StatusTemporaryRedirect)
			return
		}
		_, _ = io.WriteString(w, emptyResponse)
	})
	_, err := m.client(t, "").Infer(t.Context(), model.Request{Model: "m"})
	require.NoError(t, err)
	require.Len(t, m.seen(), 2)
	require.Equal(t, m.seen()[0].body, m.seen()[1].body)

	// As a GET it would ask nothing.
	m = answer(t, http.StatusFound, "", "Location", "/v2/responses")
	require.True(t, refused(t, m, "").Permanent)
	m.only(t)

	m = serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
	})
	require.True(t, refused(t, m, "").Permanent)
}

func TestOwnHTTPClientKeepsItsRules(t *testing.T) {
	t.Parallel()
	m := answer(t, http.StatusTemporaryRedirect, "", "Location", "/v1/responses")
	mine := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("not with me") }}
	client := build(t, openaimodel.Config{BaseURL: m.URL + "/v1", HTTPClient: mine})
	_, err := client.Infer(t.Context(), model.Request{Model: "m"})
	require.ErrorContains(t, err, "not with me")
}

func TestEndOfContextIsNoModelError(t *testing.T) {
	t.Parallel()
	m := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for want, end := range map[error]func(context.Context) (context.Context, context.CancelFunc){
		context.DeadlineExceeded: func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 20*time.Millisecond)
		},
		context.Canceled: func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(20*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		ctx, cancel := end(t.Context())
		_, err := m.client(t, "").Infer(ctx, model.Request{Model: "m"})
		cancel()
		require.ErrorIs(t, err, want)
		var failure *model.Error
		require.NotErrorAs(t, err, &failure)
	}
}

func TestTimeoutCoversTheWholeAnswer(t *testing.T) {
	t.Parallel()
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"status":`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	client := build(t, openaimodel.Config{BaseURL: m.URL, Timeout: 50 * time.Millisecond})
	_, err := client.Infer(t.Context(), model.Request{Model: "m"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "no answer within 50ms")
	var failure *model.Error
	require.NotErrorAs(t, err, &failure)
}

func TestNetworkFailureIsNoModelError(t *testing.T) {
	t.Parallel()
	gone := answer(t, http.StatusOK, emptyResponse)
	gone.Close()
	cut := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"status":"completed","output":[]`)
	})
	for _, m := range []*modelServer{gone, cut} {
		_, err := m.client(t, "").Infer(t.Context(), model.Request{Model: "m"})
		require.ErrorContains(t, err, "ask the model: ")
		require.NotContains(t, err.Error(), testKey)
		var failure *model.Error
		require.NotErrorAs(t, err, &failure)
	}
}

func TestStatusSurvivesACutBody(t *testing.T) {
	t.Parallel()
	m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, "who are you")
	})
	failure := refused(t, m, "")
	require.Equal(t, http.StatusUnauthorized, failure.Status)
	require.Equal(t, "who are you", failure.Message)
}

func TestAnswerLargerThanTheLimitFailsForGood(t *testing.T) {
	t.Parallel()
	m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk := []byte(strings.Repeat(" ", 1<<20))
		for range 33 {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	failure := refused(t, m, "")
	require.True(t, failure.Permanent)
	require.Equal(t, "response_too_large", failure.Code)
	require.Equal(t, "the answer is larger than 33554432 bytes", failure.Message)
}
