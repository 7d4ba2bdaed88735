package openaimodel_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel"
)

func TestStreamIsAskedForOnlyWhenConfigured(t *testing.T) {
	t.Parallel()
	request := model.Request{Model: "m", Settings: settings("stream", "false", "stream_options", `{"include_usage":false}`)}
	for api, want := range map[string]string{
		openaimodel.Responses: `{"model":"m","input":[],"stream":true}`,
		openaimodel.Chat:      `{"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}}`,
	} {
		m := pour(t, frames(bare, ending(`"stop"`)))
		_, err := m.streaming(t, api).Infer(t.Context(), request)
		require.NoError(t, err)
		require.Equal(t, want, string(m.only(t).body))
		require.NotContains(t, string(bodySent(t, api, request)), "stream")
	}
}

func TestBodyInPlaceOfAStreamIsReadAsOne(t *testing.T) {
	t.Parallel()
	body := map[string]string{
		openaimodel.Responses: `{"status":"completed","model":"m","output":[` + call("a", "f", `{}`) + `]}`,
		openaimodel.Chat:      chatReply(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":""}}]}`, `"tool_calls"`),
	}
	for api, text := range body {
		for _, kind := range []string{"application/json", "text/event-stream", "", "text/plain; charset"} {
			got, err := pour(t, " \r\n"+text, "Content-Type", kind).streaming(t, api).Infer(t.Context(), model.Request{Model: "m"})
			require.NoError(t, err)
			require.Equal(t, []string{call("a", "f", `{}`)}, texts(got.Items))
		}
		for page, want := range map[string]string{
			"<p>Welcome</p>": "the answer is not a JSON object: Welcome",
			`[]`:             "the answer is not a JSON object: []",
			`"hi"`:           `the answer is not a JSON object: "hi"`,
		} {
			require.Equal(t, model.Error{Status: http.StatusOK, Message: want}, failed(t, api, page))
		}
	}
	m := pour(t, "upstream timed out", "Content-Type", "text/plain")
	_, err := m.streaming(t, "").Infer(t.Context(), model.Request{Model: "m"})
	require.ErrorContains(t, err, "the answer is not a JSON object: upstream timed out")
}

func TestStreamIsKnownByHowItBegins(t *testing.T) {
	t.Parallel()
	last := finished("completed", `"status":"completed","output":[]`)
	for _, start := range []string{"", ": x\n\n", "event: x\n", "id: 1\n", "retry: 5\n", "\n\r\n"} {
		for _, kind := range []string{"", "application/json", "text/event-stream", "TEXT/EVENT-STREAM;charset=utf-8"} {
			got, err := pour(t, start+frames(last), "Content-Type", kind).streaming(t, "").Infer(t.Context(), model.Request{Model: "m"})
			require.NoError(t, err, "%q %s", start, kind)
			require.Equal(t, "m", got.Model)
		}
	}
}

func TestErrorStatusInPlaceOfAStreamIsReadWhole(t *testing.T) {
	t.Parallel()
	for _, api := range []string{openaimodel.Responses, openaimodel.Chat} {
		for _, kind := range []string{"application/json", "text/event-stream"} {
			m := answer(t, http.StatusTooManyRequests, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, "Retry-After", "3")
			m2 := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", kind)
				w.WriteHeader(http.StatusBadGateway)
				_, _ = io.WriteString(w, "data: upstream is away\n\n")
			})
			_, err := m.streaming(t, api).Infer(t.Context(), model.Request{Model: "m"})
			require.Equal(t, &model.Error{Status: 429, Code: "rate_limit_exceeded", Message: "slow down", RetryAfter: 3 * time.Second}, err)
			_, err = m2.streaming(t, api).Infer(t.Context(), model.Request{Model: "m"})
			require.Equal(t, &model.Error{Status: 502, Message: "data: upstream is away"}, err)
		}
	}
}

func TestErrorInAStreamIsFitToBeStored(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		frames(`{"error":{"message":"wrong key ` + testKey + `"}}`), frames(`{"type":"` + testKey),
		frames(strings.Repeat("x", 190) + testKey),
	} {
		m := pour(t, body, "Retry-After", "7")
		_, err := m.streaming(t, "").Infer(t.Context(), model.Request{Model: "m"})
		var failure *model.Error
		require.ErrorAs(t, err, &failure)
		require.Contains(t, failure.Message, "[reda")
		require.NotContains(t, err.Error(), "sk-te")
		require.Equal(t, 7*time.Second, failure.RetryAfter)
	}
}

func TestStreamLargerThanTheLimitFailsForGood(t *testing.T) {
	t.Parallel()
	endless := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "data: ")
		for chunk := []byte(strings.Repeat("x", 1<<20)); ; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	_, err := endless.streaming(t, "").Infer(t.Context(), model.Request{Model: "m"})
	require.Equal(t, &model.Error{
		Status: 200, Code: "response_too_large", Message: "the answer is larger than 33554432 bytes", Permanent: true,
	}, err)
}

func TestBrokenStreamIsNoModelError(t *testing.T) {
	t.Parallel()
	broken := func(body string) *modelServer {
		return serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Content-Length", "100000")
			_, _ = io.WriteString(w, body)
		})
	}
	for api, body := range map[string]string{openaimodel.Responses: frames(created), openaimodel.Chat: frames(chunk(`{"content":"hi"}`))} {
		_, err := broken(body).streaming(t, api).Infer(t.Context(), model.Request{Model: "m"})
		require.EqualError(t, err, "ask the model: read the answer: unexpected EOF")
		var failure *model.Error
		require.NotErrorAs(t, err, &failure)
	}
	// What breaks after the answer is whole breaks nothing.
	got, err := broken(frames(chunk(`{"content":"hi"}`), ending(`"stop"`))).streaming(t, openaimodel.Chat).
		Infer(t.Context(), model.Request{Model: "m"})
	require.NoError(t, err)
	require.Equal(t, []string{textItem("hi")}, texts(got.Items))
}

func TestConnectionIsUsedAgainAfterAStream(t *testing.T) {
	t.Parallel()
	// One server ends its reply a moment after its answer, the other never.
	for name, test := range map[string]struct {
		after func(*http.Request)
		again bool
	}{
		"ends":  {func(*http.Request) {}, true},
		"stays": {func(r *http.Request) { <-r.Context().Done() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			connections := map[string]bool{}
			m := serve(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				connections[r.RemoteAddr] = true
				mu.Unlock()
				_, _ = io.WriteString(w, frames(bare))
				_ = http.NewResponseController(w).Flush()
				test.after(r)
			})
			client := m.streaming(t, "")
			for range 3 {
				_, err := client.Infer(t.Context(), model.Request{Model: "m"})
				require.NoError(t, err)
			}
			mu.Lock()
			defer mu.Unlock()
			// A server that is not let run for a while may lose one.
			require.Equal(t, test.again, len(connections) < 3)
		})
	}
}

func TestStreamOfTooManyItemsFails(t *testing.T) {
	t.Parallel()
	var chat, responses []string
	for i := range 4097 {
		chat = append(chat, fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"%d","function":{"name":"f"}}]}`, i, i))
		responses = append(responses, fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":{"type":"reasoning"}}`, i))
	}
	require.Contains(t, failed(t, openaimodel.Chat, chatStream(`"stop"`, chat...)).Message, "the stream has too many items: {")
	require.Contains(t, failed(t, "", frames(append(responses, bare)...)).Message, "the stream has too many items: {")

	got, err := streamed(t, openaimodel.Chat, chatStream(`"stop"`, chat[:4096]...))
	require.NoError(t, err)
	require.Len(t, got.Items, 4096)
}
