package openaimodel

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel/chat"
	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
	"errand/activities/openaimodel/responses"
	"errand/tools/item"
)

// requireWellFormed checks what a caller may rely on, whatever a server sends.
func requireWellFormed(t *testing.T, answer model.Answer, err error) {
	t.Helper()
	if err != nil {
		require.Empty(t, answer)
		return
	}
	require.NotNil(t, answer.Items)
	require.NotEmpty(t, answer.Finish)
	for _, raw := range answer.Items {
		require.True(t, json.Valid(raw), "%s", raw)
		var head struct {
			Type      string          `json:"type"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if json.Unmarshal(raw, &head) == nil && head.Type == item.TypeFunctionCall && head.Arguments != nil {
			var text string
			require.NoError(t, json.Unmarshal(head.Arguments, &text), "%s", raw)
		}
	}
}

func FuzzStream(f *testing.F) {
	for _, sample := range samples {
		f.Add([]byte(sample.stream))
	}
	f.Add([]byte("event: error\ndata: {\"error\":{\"message\":\"boom\"}}\n\n"))
	f.Add([]byte("data: {\"type\":\"response.output_text.delta\",\"delta\":\"h\"}\r\rdata: {\"type\":\"response.completed\"}"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		for _, api := range []protocol.API{responses.API, chat.API} {
			got, err := readStream(api, bytes.NewReader(stream))
			requireWellFormed(t, got, err)
			again, err2 := readStream(api, bytes.NewReader(stream))
			require.Equal(t, err, err2)
			require.Equal(t, got, again, "the same stream makes the same answer")
		}
	})
}

// FuzzChatDeltas feeds two deltas, so that the second meets what the first has
// opened.
func FuzzChatDeltas(f *testing.F) {
	for _, pair := range [][2]string{
		{`{"content":"h"}`, `{"content":"i"}`},
		{`{"content":"\ud83d"}`, `{"content":"\ude00"}`},
		{`{"content":[{"type":"text","text":"h"}]}`, `{"content":{"x":1},"refusal":7}`},
		{`{"reasoning":"h"}`, `{"reasoning_content":"m","refusal":"no"}`},
		{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`},
		{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"q":1}}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":null}}]}`},
		{`{"tool_calls":[{"function":{"name":"f"}}]}`, `{"tool_calls":[null,{"id":7,"function":null}]}`},
		{`{"tool_calls":[]}`, `{"tool_calls":null,"function_call":{"name":"f","arguments":"{}"}}`},
	} {
		f.Add([]byte(pair[0]), []byte(pair[1]))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		if !json.Valid(first) || !json.Valid(second) {
			t.Skip("the stream's reader has seen to that")
		}
		c := chat.API.NewAssembler()
		for _, delta := range [][]byte{first, second} {
			choice := rawjson.Object{{Key: "delta", Value: delta}}
			fields := map[string]json.RawMessage{"choices": rawjson.Array([]json.RawMessage{choice.Encode()})}
			if _, err := c.Add(protocol.Event{Fields: fields}); err != nil {
				return
			}
		}
		last, err := c.Add(protocol.Event{Kind: protocol.DoneMark})
		require.True(t, last)
		require.NoError(t, err)
		got, err := c.Answer()
		requireWellFormed(t, got, err)
	})
}
