package activities

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/item"
)

func checkedTextCalls(t *testing.T, asked bool, items ...json.RawMessage) InferResult {
	t.Helper()
	s := newBorder(Surface{
		TextCalls: asked,
		Tools:     []FunctionTool{{Name: "crm__lookup"}, {Name: "patch"}},
		Names: []Name{
			{Visible: "crm__lookup", Identity: tools.Identity{Namespace: "crm", Name: "lookup"}, Type: tools.TypeFunction},
			{Visible: "patch", Identity: tools.Identity{Name: "patch"}, Type: tools.TypeCustom},
		},
	})
	r, err := checked(ModelAnswer{Items: items}, s, 3)
	require.NoError(t, err)
	return r
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
			r := checkedTextCalls(t, true, json.RawMessage(row.item))
			require.JSONEq(t, row.want, joined(t, r.Items))
			require.Empty(t, r.Notes)
		})
	}
}

func TestCallsOfSeveralMessagesGetDifferentIDs(t *testing.T) {
	t.Parallel()
	one := item.Message("assistant", `a <fc>{"name":"f"}</fc>`)
	r := checkedTextCalls(t, true, one, json.RawMessage(`{"type":"reasoning"}`), one)
	require.Len(t, r.Items, 5)
	require.JSONEq(t, `{"type":"function_call","call_id":"call_3_0","name":"f","arguments":"{}"}`, string(r.Items[1]))
	require.JSONEq(t, `{"type":"function_call","call_id":"call_3_1","name":"f","arguments":"{}"}`, string(r.Items[4]))
}

func TestTextStaysTextWhereCallsInItDoNotCount(t *testing.T) {
	t.Parallel()
	message := item.Message("assistant", `<fc>{"name":"f"}</fc>`)
	require.Equal(t, []json.RawMessage{message}, checkedTextCalls(t, false, message).Items, "nobody asked")

	call := item.FunctionCall("c", "g", "{}")
	require.Equal(t, []json.RawMessage{message, call}, checkedTextCalls(t, true, message, call).Items, "a real call is there")
}
