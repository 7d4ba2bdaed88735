package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func streamed(body string) string { return strings.Replace(body, "{", `{"stream":true,`, 1) }

func TestResponsesStreamHasOpenAIsEventsInOrder(t *testing.T) {
	t.Parallel()
	model := StartModel(t, flight)
	response, body := post(t, model.URL()+"/responses", streamed(responsesFirst))
	require.Equal(t, "text/event-stream; charset=utf-8", response.Header.Get("Content-Type"))

	var names []string
	deltas := map[string]string{}
	frames := readFrames(t, body)
	for i, frame := range frames {
		var event struct {
			Type     string `json:"type"`
			Sequence *int   `json:"sequence_number"`
			ItemID   string `json:"item_id"`
			Delta    string `json:"delta"`
		}
		require.NoError(t, json.Unmarshal([]byte(frame.data), &event), frame.data)
		require.Equal(t, frame.event, event.Type)
		require.Equal(t, i, *event.Sequence)
		name := strings.TrimPrefix(event.Type, "response.")
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name) // deltas in a row count once
		}
		deltas[name] += event.Delta
	}
	call := []string{"output_item.added", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done"}
	want := []string{
		"created", "in_progress",
		"output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta",
		"reasoning_summary_text.done", "reasoning_summary_part.done", "output_item.done",
		"output_item.added", "content_part.added", "output_text.delta", "output_text.done", "content_part.done", "output_item.done",
	}
	want = append(append(want, call...), call...)
	want = append(want, "output_item.added", "function_call_arguments.done", "output_item.done", "completed")
	require.Equal(t, want, names)
	require.Equal(t, "Two ways.", deltas["reasoning_summary_text.delta"])
	require.Equal(t, "Looking.", deltas["output_text.delta"])
	bothArguments := `{"to":"JFK"}` + `{`
	require.Equal(t, bothArguments, deltas["function_call_arguments.delta"])

	var last struct {
		Response json.RawMessage `json:"response"`
	}
	require.NoError(t, json.Unmarshal([]byte(frames[len(frames)-1].data), &last))
	_, wholeBody := post(t, model.URL()+"/responses", responsesFirst)
	require.JSONEq(t, wholeBody, string(last.Response), "the terminal event carries the whole answer")
}

func TestChatStreamAssemblesToTheWholeAnswer(t *testing.T) {
	t.Parallel()
	model := StartModel(t, flight)
	_, body := post(t, model.URL()+"/chat/completions",
		strings.Replace(chatFirst, "{", `{"stream":true,"stream_options":{"include_usage":true},`, 1))
	frames := readFrames(t, body)
	require.Equal(t, "[DONE]", frames[len(frames)-1].data)

	var got said
	for i, frame := range frames[:len(frames)-1] {
		var chunk struct {
			Object  string `json:"object"`
			Choices []struct {
				Delta struct {
					Role, Content string
					Reasoning     string `json:"reasoning_content"`
					ToolCalls     []struct {
						Index    int
						ID       string
						Function chatFunction
					} `json:"tool_calls"`
				} `json:"delta"`
				FinishReason *string `json:"finish_reason"`
			} `json:"choices"`
			Usage *chatUsage `json:"usage"`
		}
		require.NoError(t, json.Unmarshal([]byte(frame.data), &chunk), frame.data)
		require.Equal(t, "chat.completion.chunk", chunk.Object)
		if i == len(frames)-2 {
			require.Empty(t, chunk.Choices)
			got.Tokens = chunk.Usage.TotalTokens
			continue
		}
		require.Nil(t, chunk.Usage)
		require.Contains(t, frame.data, `"usage":null`)
		delta := chunk.Choices[0].Delta
		got.Text += delta.Content
		got.Reasoning += delta.Reasoning
		for _, call := range delta.ToolCalls {
			if call.Index == len(got.Calls) {
				got.Calls = append(got.Calls, ToolCall{ID: call.ID, Name: call.Function.Name})
			}
			got.Calls[call.Index].Arguments += call.Function.Arguments
		}
		if reason := chunk.Choices[0].FinishReason; reason != nil {
			got.Stop = *reason
		}
	}
	_, wholeBody := post(t, model.URL()+"/chat/completions", chatFirst)
	require.Equal(t, readChat(t, wholeBody), got)

	_, body = post(t, model.URL()+"/chat/completions", streamed(chatFirst))
	require.NotContains(t, body, `"usage"`, "nobody asked for it")
}

// Clients have been seen to lose a frame that came in two reads.
func TestEachFrameIsOneWrite(t *testing.T) {
	t.Parallel()
	model := StartModel(t, Always(Say("one two three")))
	connection, err := net.Dial("tcp", model.Address())
	require.NoError(t, err)
	defer func() { require.NoError(t, connection.Close()) }()
	body := streamed(responsesFirst)
	_, err = fmt.Fprintf(connection, "POST /v1/responses HTTP/1.1\r\nHost: model\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	require.NoError(t, err)

	answer, err := io.ReadAll(connection)
	require.NoError(t, err)
	all := string(answer)
	_, chunked, found := strings.Cut(all, "\r\n\r\n")
	require.True(t, found)
	frames := 0
	for chunked != "" {
		var size int
		_, err := fmt.Sscanf(chunked, "%x\r\n", &size)
		require.NoError(t, err)
		_, chunked, _ = strings.Cut(chunked, "\r\n")
		if size == 0 {
			break
		}
		chunk := chunked[:size]
		require.True(t, strings.HasPrefix(chunk, "event: "), chunk)
		require.True(t, strings.HasSuffix(chunk, "\n\n"), chunk)
		require.Equal(t, 1, strings.Count(chunk, "\n\n"), chunk)
		chunked = chunked[size+2:]
		frames++
	}
	require.Greater(t, frames, 8)
}

func TestCutAnswersSayWhy(t *testing.T) {
	t.Parallel()
	cut := Say("So").And(Call("write", `{"path":"a`))
	model := StartModel(t, Match(When("long", Always(cut.Truncated())), Otherwise(Always(cut.Filtered().WithoutUsage()))))

	_, body := post(t, model.URL()+"/responses", `{"model":"m","input":"long"}`)
	require.Equal(t, "incomplete", readResponses(t, body).Stop)
	require.Contains(t, body, `"incomplete_details":{"reason":"max_output_tokens"}`)
	require.Contains(t, body, `"status":"incomplete","arguments":"{\"path\":\"a"`)
	require.Contains(t, body, `"status":"completed","content"`, "only the last item was cut")
	_, body = post(t, model.URL()+"/responses", `{"model":"m","input":"long","stream":true}`)
	require.Contains(t, body, "event: response.incomplete\n")
	_, body = post(t, model.URL()+"/chat/completions", `{"model":"m","messages":[{"role":"user","content":"long"}]}`)
	require.Equal(t, "length", readChat(t, body).Stop)

	_, body = post(t, model.URL()+"/responses", `{"model":"m","input":"bad"}`)
	require.Contains(t, body, `"incomplete_details":{"reason":"content_filter"}`)
	require.Contains(t, body, `"usage":null`)
	_, body = post(t, model.URL()+"/chat/completions", `{"model":"m","messages":[{"role":"user","content":"bad"}]}`)
	require.Equal(t, "content_filter", readChat(t, body).Stop)
	require.NotContains(t, body, `"usage"`)
}

func TestTheRequestsOwnFieldsAreEchoed(t *testing.T) {
	t.Parallel()
	model := StartModel(t, Always(Say("yes")))
	_, body := post(t, model.URL()+"/responses", `{"model":"m","input":"a","temperature":0.25,"metadata":{"n":"1"},"tools":[{"type":"function","name":"f"}]}`)
	var object struct {
		Temperature, Metadata, Tools, Store, Text, Error json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(body), &object))
	require.Equal(t, "0.25", string(object.Temperature))
	require.JSONEq(t, `{"n":"1"}`, string(object.Metadata))
	require.JSONEq(t, `[{"type":"function","name":"f"}]`, string(object.Tools))
	require.Equal(t, "true", string(object.Store))
	require.JSONEq(t, `{"format":{"type":"text"}}`, string(object.Text))
	require.Equal(t, "null", string(object.Error))
}

func TestPiecesKeepTextWhole(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "ab", "abc", "é", "日本語テキスト", "héllo wörld", "\xff\xfe", strings.Repeat("x", 10_000)} {
		all := pieces(text)
		require.Equal(t, text, strings.Join(all, ""))
		require.LessOrEqual(t, len(all), 3)
		for _, piece := range all {
			require.NotEmpty(t, piece)
		}
	}
}

func TestRawIsSentByteForByte(t *testing.T) {
	t.Parallel()
	const stream = "data: {\"a\":1}\n\ndata: [DONE]\r\n\r\n: half"
	model := StartModel(t, Match(
		When("stream", Always(Raw(stream))),
		When("broken", Always(Raw("<html>502</html>").WithHeader("Content-Type", "text/html"))),
		When("status", Always(Status(http.StatusTooManyRequests, "slow down").WithHeader("Retry-After", "7"))),
	))
	response, body := post(t, model.URL()+"/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"stream"}]}`)
	require.Equal(t, stream, body)
	require.Equal(t, "text/event-stream; charset=utf-8", response.Header.Get("Content-Type"))

	response, body = post(t, model.URL()+"/responses", `{"input":"broken"}`)
	require.Equal(t, "<html>502</html>", body)
	require.Equal(t, "text/html", response.Header.Get("Content-Type"))

	response, body = post(t, model.URL()+"/responses", `{"stream":true,"input":"status"}`)
	require.Equal(t, http.StatusTooManyRequests, response.StatusCode)
	require.Equal(t, "7", response.Header.Get("Retry-After"))
	require.Equal(t, "slow down", body)
}
