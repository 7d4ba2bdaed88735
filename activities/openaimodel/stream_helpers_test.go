package openaimodel_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel"
)

const done = "data: [DONE]\n\n"

// frames are events that hold no more than their data.
func frames(data ...string) string {
	var all strings.Builder
	for _, one := range data {
		all.WriteString("data: " + one + "\n\n")
	}
	return all.String()
}

// chunk is a chunk of a chat completion with one delta.
func chunk(delta string) string {
	return `{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}],"usage":null}`
}

// ending is the chunk that finishes a choice.
func ending(finish string) string {
	return `{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":` + finish + `}]}`
}

const chatUsage = `{"id":"c","object":"chat.completion.chunk","model":"m","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8}}`

// chatStream is a whole stream of these deltas.
func chatStream(finish string, deltas ...string) string {
	all := []string{}
	for _, delta := range deltas {
		all = append(all, chunk(delta))
	}
	return frames(append(all, ending(finish), chatUsage)...) + done
}

// pour serves one stream.
func pour(t *testing.T, body string, headers ...string) *modelServer {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		_, _ = io.WriteString(w, body)
	})
}

func (m *modelServer) streaming(t *testing.T, api string) *openaimodel.Client {
	t.Helper()
	return build(t, openaimodel.Config{BaseURL: m.URL + "/v1", APIKey: testKey, API: api, Stream: true})
}

// streamed asks a model that replies with a stream.
func streamed(t *testing.T, api, body string) (model.Answer, error) {
	t.Helper()
	return pour(t, body).streaming(t, api).Infer(t.Context(), model.Request{Model: "m"})
}

// failed asks a model whose stream must end in a ModelError.
func failed(t *testing.T, api, body string) model.Error {
	t.Helper()
	_, err := streamed(t, api, body)
	var failure *model.Error
	require.ErrorAs(t, err, &failure, body)
	return *failure
}

// unfinished asks a model whose stream must count as cut.
func unfinished(t *testing.T, api, body string) {
	t.Helper()
	_, err := streamed(t, api, body)
	require.EqualError(t, err, "ask the model: the stream ended before the answer was whole", body)
	var failure *model.Error
	require.NotErrorAs(t, err, &failure)
}

// The items that chat streams become.

func textItem(text string) string {
	return `{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"` + text + `","annotations":[]}]}`
}

func refusalItem(text string) string {
	return `{"type":"message","role":"assistant","status":"completed","content":[{"type":"refusal","refusal":"` + text + `"}]}`
}

func thoughtItem(text string) string {
	return `{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"` + text + `"}],"status":"completed"}`
}

// call is a function call; its arguments are escaped here.
func call(id, name, arguments string) string {
	return fmt.Sprintf(`{"type":"function_call","call_id":%q,"name":%q,"arguments":%q,"status":"completed"}`, id, name, arguments)
}
