package openaimodel_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
)

// event is a response event with these fields.
func event(name, fields string) string { return `{"type":"response.` + name + `",` + fields + `}` }

func TestItemsAreTakenFromTheirEventsWhenTheLastHasNone(t *testing.T) {
	t.Parallel()
	const (
		message = `{"type":"message","id":"msg_1","role":"assistant", "status":"completed","content":[{"type":"output_text","text":"hi","annotations":[]}]}`
		thought = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"AAA="}`
		called  = `{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"{\"n\":1}","status":"completed"}`
		second  = `{"type":"function_call","id":"fc_1","call_id":"b","name":"f","arguments":"{\"n\":2}","status":"completed"}`
		blank   = `{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"","status":"in_progress"}`
		hollow  = `{"type":"message","id":"msg_1","role":"assistant","content":[],"status":"in_progress"}`
	)
	tests := map[string]struct{ events, want []string }{
		"done items in their order": {
			[]string{event("output_item.done", `"output_index":2,"item":`+called), event("output_item.done", `"output_index":0,"item":`+thought), event("output_item.done", `"output_index":1,"item":`+message)},
			[]string{thought, message, called},
		},
		"done items without places": {
			[]string{event("output_item.done", `"item":`+thought), event("output_item.done", `"item":`+message), event("output_item.done", `"item":`+called)},
			[]string{thought, message, called},
		},
		"a done item goes before its deltas": {
			[]string{event("output_item.added", `"output_index":0,"item":`+blank), event("function_call_arguments.delta", `"item_id":"fc_1","output_index":0,"delta":"{\"wrong"`), event("output_item.done", `"output_index":0,"item":`+called), event("function_call_arguments.delta", `"item_id":"fc_1","output_index":0,"delta":"tail"`)},
			[]string{called},
		},
		"an id that changes until done": {
			[]string{event("output_item.added", `"output_index":0,"item":`+strings.Replace(blank, "fc_1", "fc_0", 1)), event("output_item.done", `"output_index":0,"item":`+called)},
			[]string{called},
		},
		"two calls at one place": {
			[]string{event("output_item.added", `"output_index":0,"item":`+blank), event("output_item.added", `"output_index":0,"item":`+strings.ReplaceAll(blank, `_1"`, `_2"`)), event("function_call_arguments.delta", `"item_id":"fc_1","output_index":0,"delta":"{\"n\":1}"`), event("function_call_arguments.delta", `"item_id":"fc_2","output_index":0,"delta":"{\"n\":2}"`)},
			[]string{called, strings.Replace(strings.Replace(called, "fc_1", "fc_2", 1), ":1}", ":2}", 1)},
		},
		"two calls under one id": {
			[]string{event("output_item.added", `"output_index":0,"item":`+blank), event("output_item.added", `"output_index":1,"item":`+blank), event("function_call_arguments.delta", `"item_id":"fc_1","output_index":0,"delta":"{\"n\":1}"`), event("function_call_arguments.delta", `"item_id":"fc_1","output_index":1,"delta":"{\"n\":3}"`), event("output_item.done", `"output_index":1,"item":`+second), event("output_item.done", `"output_index":2,"item":`+called)},
			[]string{called, second, called},
		},
		"events that are repeated": {
			[]string{event("output_item.added", `"output_index":0,"item":`+blank), event("output_item.added", `"output_index":0,"item":`+blank), event("output_item.done", `"output_index":0,"item":`+called), event("output_item.done", `"item":`+called)},
			[]string{called},
		},
		"arguments between text": {
			[]string{
				event("output_item.added", `"output_index":0,"item":`+hollow), event("output_text.delta", `"item_id":"msg_1","content_index":0,"delta":"h"`),
				event("output_item.added", `"output_index":1,"item":`+blank), event("function_call_arguments.delta", `"item_id":"fc_1","delta":"{\"n\""`),
				event("output_text.delta", `"item_id":"msg_1","output_index":1,"content_index":0,"delta":"i"`), event("function_call_arguments.delta", `"item_id":"fc_1","output_index":0,"delta":":1}"`),
			},
			[]string{`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"hi","annotations":[]}],"status":"completed"}`, called},
		},
		"whole arguments go before their deltas": {
			[]string{event("output_item.added", `"output_index":0,"item":`+blank), event("function_call_arguments.delta", `"output_index":0,"delta":"{\"wro"`), event("function_call_arguments.done", `"output_index":0,"arguments":"{\"n\":1}"`)},
			[]string{called},
		},
		"a name that comes with the arguments": {
			[]string{event("output_item.added", `"output_index":0,"item":`+strings.Replace(blank, `"f"`, `""`, 1)), event("function_call_arguments.done", `"item_id":"fc_1","output_index":0,"name":"f","arguments":"{\"n\":1}"`)},
			[]string{called},
		},
		"arguments as an object": {
			[]string{event("output_item.added", `"output_index":0,"item":`+blank), event("function_call_arguments.delta", `"output_index":0,"delta":{"n": 1}`)},
			[]string{called},
		},
		"blank arguments": {
			[]string{event("output_item.added", `"output_index":0,"item":`+blank), event("function_call_arguments.delta", `"output_index":0,"delta":null`), event("function_call_arguments.done", `"output_index":0,"arguments":""`)},
			[]string{strings.Replace(called, `{\"n\":1}`, `{}`, 1)},
		},
		"arguments announced whole": {
			[]string{event("output_item.added", `"output_index":0,"item":`+called)}, []string{called},
		},
		"parts of a message": {
			[]string{
				event("output_item.added", `"output_index":0,"item":`+hollow), event("content_part.added", `"output_index":0,"content_index":0,"part":{"type":"output_text","text":""}`),
				event("refusal.delta", `"output_index":0,"content_index":2,"delta":"n"`), event("refusal.delta", `"output_index":0,"content_index":2,"delta":"o"`),
				event("output_text.delta", `"output_index":0,"content_index":1,"delta":"\ud83d"`), event("output_text.delta", `"output_index":0,"content_index":1,"delta":"\ude00"`),
				event("output_text.delta", `"output_index":0,"content_index":0,"delta":"x"`), event("content_part.done", `"output_index":0,"content_index":0,"part":{"type":"output_text","text":"a", "annotations":[{"n":1}]}`),
				event("output_text.done", `"output_index":0,"content_index":1,"text":7`),
			},
			[]string{`{"type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"a", "annotations":[{"n":1}]},{"type":"output_text","text":"😀","annotations":[]},{"type":"refusal","refusal":"no"}],"status":"completed"}`},
		},
		"text of an item never announced": {
			[]string{event("output_text.delta", `"delta":"h"`), event("output_text.delta", `"delta":"i"`)},
			[]string{`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi","annotations":[]}],"status":"completed"}`},
		},
		"whole text": {
			[]string{event("output_text.delta", `"item_id":"msg_1","delta":"wrong"`), event("output_text.done", `"item_id":"msg_1","text":"hi"`)},
			[]string{`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi","annotations":[]}],"status":"completed"}`},
		},
		"reasoning": {
			[]string{
				event("output_item.added", `"output_index":0,"item":{"type":"reasoning","id":"rs_1","summary":[]}`), event("reasoning_summary_part.added", `"output_index":0,"summary_index":0,"part":{}`),
				event("reasoning_summary_text.delta", `"output_index":0,"summary_index":0,"delta":"s"`), event("reasoning_summary_part.done", `"output_index":0,"summary_index":1,"part":{"type":"summary_text","text":"t"}`),
				event("reasoning_text.delta", `"output_index":0,"content_index":0,"delta":"h"`), event("reasoning.delta", `"output_index":0,"content_index":0,"delta":"m"`),
				event("reasoning_part.done", `"output_index":0,"content_index":1,"part":{"type":"reasoning_text","text":"u"}`),
			},
			[]string{`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"s"},{"type":"summary_text","text":"t"}],"content":[{"type":"reasoning_text","text":"hm"},{"type":"reasoning_text","text":"u"}],"status":"completed"}`},
		},
		"reasoning never announced": {
			[]string{event("reasoning_text.delta", `"delta":"hm"`), event("output_text.delta", `"delta":"hi"`)},
			[]string{
				`{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}],"status":"completed"}`,
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi","annotations":[]}],"status":"completed"}`,
			},
		},
		"an empty message": {[]string{event("output_item.added", `"item":{"role":"assistant"}`)}, []string{`{"role":"assistant","type":"message","content":[],"status":"completed"}`}},
		"items of no use": {
			[]string{event("output_item.added", `"output_index":0,"item":{"type":"web_search_call","id":"ws_1"}`), event("output_item.done", `"output_index":0,"item":{"type":"web_search_call","id":"ws_1"}`), event("output_item.done", `"output_index":1,"item":`+called)},
			[]string{called},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, last := range []string{
				bare, `{"type":"response.completed"}`, `{"type":"response.completed","response":{"status":"completed","model":null,"output":null}}`,
			} {
				got, err := streamed(t, "", frames(append(append([]string{created}, test.events...), last)...))
				require.NoError(t, err)
				require.Equal(t, test.want, texts(got.Items))
				require.Equal(t, model.FinishCompleted, got.Finish)
				require.Equal(t, "m", got.Model, "as the first event says")
			}
		})
	}
}
