package translate

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/tools"
	"errand/tools/item"
)

func decodedTextCalls(asked bool, answer ...json.RawMessage) (items []json.RawMessage, notes []string) {
	s := New(Surface{
		TextCalls: asked,
		Tools:     []model.FunctionTool{{Name: "crm__lookup"}, {Name: "patch"}},
		Names: []Name{
			{Visible: "crm__lookup", Identity: tools.Identity{Namespace: "crm", Name: "lookup"}, Type: tools.TypeFunction},
			{Visible: "patch", Identity: tools.Identity{Name: "patch"}, Type: tools.TypeCustom},
		},
	})
	return s.Decode(answer, 3)
}

func joined(t *testing.T, items []json.RawMessage) string {
	t.Helper()
	text, err := json.Marshal(items)
	require.NoError(t, err)
	return string(text)
}

func TestCallsInTextFollowTheirMessage(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ item, want string }{
		"other text stays": {
			`{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Looking. <fc>{\"name\":\"f\",\"arguments\":{\"a\":1}}</fc>","annotations":[{"type":"x"}],"logprobs":[1]}]}`,
			`[{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Looking.","annotations":[]}]},
			  {"type":"function_call","call_id":"call_3_0","name":"f","arguments":"{\"a\":1}"}]`,
		},
		"a message of calls only goes": {
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"{\"id\":\"c\",\"name\":\"f\",\"args\":{}}"}]}`,
			`[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]`,
		},
		"what is not text stays": {
			`{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"},{"type":"output_text","text":"<fc>{\"name\":\"f\"}</fc>"}]}`,
			`[{"type":"message","role":"assistant","content":[{"type":"refusal","refusal":"no"}]},
			  {"type":"function_call","call_id":"call_3_0","name":"f","arguments":"{}"}]`,
		},
		"a block over two parts": {
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a <fc>{\"name\":"},{"type":"output_text","text":"\"f\"}</fc> b"}]}`,
			`[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a  b"}]},
			  {"type":"function_call","call_id":"call_3_0","name":"f","arguments":"{}"}]`,
		},
		"content that is a string": {
			`{"type":"message","role":"assistant","content":"a <fc>{\"name\":\"f\"}</fc>"}`,
			`[{"type":"message","role":"assistant","content":"a"},{"type":"function_call","call_id":"call_3_0","name":"f","arguments":"{}"}]`,
		},
		"a string of calls only": {
			`{"type":"message","role":"assistant","content":"<fc>{\"name\":\"f\"}</fc>"}`,
			`[{"type":"function_call","call_id":"call_3_0","name":"f","arguments":"{}"}]`,
		},
		"names and custom tools are the caller's": {
			`{"type":"message","role":"assistant","content":"<fc>{\"name\":\"crm__lookup\"}</fc><fc>{\"name\":\"patch\",\"arguments\":{\"input\":\"*** Begin\"}}</fc>"}`,
			`[{"type":"function_call","call_id":"call_3_0","namespace":"crm","name":"lookup","arguments":"{}"},
			  {"type":"custom_tool_call","call_id":"call_3_1","name":"patch","input":"*** Begin"}]`,
		},
		"text without calls is untouched": {
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":" <fc>no</fc> ","logprobs":[1]}]}`,
			`[{"type":"message","role":"assistant","content":[{"type":"output_text","text":" <fc>no</fc> ","logprobs":[1]}]}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items, notes := decodedTextCalls(true, json.RawMessage(row.item))
			require.JSONEq(t, row.want, joined(t, items))
			require.Empty(t, notes)
		})
	}
}

func TestCallsOfSeveralMessagesGetDifferentIDs(t *testing.T) {
	t.Parallel()
	one := item.Message("assistant", `a <fc>{"name":"f"}</fc>`)
	items, _ := decodedTextCalls(true, one, json.RawMessage(`{"type":"reasoning"}`), one)
	require.Len(t, items, 5)
	require.JSONEq(t, `{"type":"function_call","call_id":"call_3_0","name":"f","arguments":"{}"}`, string(items[1]))
	require.JSONEq(t, `{"type":"function_call","call_id":"call_3_1","name":"f","arguments":"{}"}`, string(items[4]))
}

func TestTextStaysTextWhereCallsInItDoNotCount(t *testing.T) {
	t.Parallel()
	message := item.Message("assistant", `<fc>{"name":"f"}</fc>`)
	items, _ := decodedTextCalls(false, message)
	require.Equal(t, []json.RawMessage{message}, items, "nobody asked")

	call := item.FunctionCall("c", "g", "{}")
	items, _ = decodedTextCalls(true, message, call)
	require.Equal(t, []json.RawMessage{message, call}, items, "a real call is there")
}
