package test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/tools/item"
	"errand/worker"
	"errand/workflows/contract"
)

const typedRequest = `{"model":"m","instructions":"Be brief.","input":"go","tools":[
	{"type":"function","name":"ask","parameters":{"type":"object","properties":{"q":{"type":"string"}}}},
	{"type":"custom","name":"patch","description":"Patches."},
	{"type":"namespace","name":"crm","tools":[{"type":"function","name":"lookup","parameters":{"type":"object","properties":{}}},{"type":"custom","name":"note"}]},
	{"type":"platform","name":"weather"},
	{"type":"file_search","vector_store_ids":["v"]}]}`

// typedScript calls one tool of every type, over three rounds.
func typedScript() harness.Script {
	return harness.Rounds(
		harness.Calls(
			harness.ToolCall{ID: "c1", Name: "ask", Arguments: `{"q":"why"}`},
			harness.ToolCall{ID: "c2", Name: "patch", Arguments: `{"input":"*** Begin"}`},
		),
		harness.Calls(
			harness.ToolCall{ID: "c3", Name: "crm__lookup", Arguments: `{}`},
			harness.ToolCall{ID: "c4", Name: "weather", Arguments: `{}`},
		),
		harness.Calls(
			harness.ToolCall{ID: "c5", Name: "crm__note", Arguments: `{"input":"called"}`},
			harness.ToolCall{ID: "c6", Name: "file_search", Arguments: `{}`},
		),
		harness.Say("done"),
	)
}

func typedHandlers() starter.Handlers {
	say := func(text string) starter.Handler {
		return func(context.Context, starter.Call) (any, error) { return text, nil }
	}
	return starter.Handlers{
		"ask": say("because"), "crm.lookup": say("found"), "crm.note": say("noted"),
		"patch": func(_ context.Context, c starter.Call) (any, error) { return "patched " + *c.Input, nil },
	}
}

const noExecutor = `{\"error\":\"tool \\\"file_search\\\" has no executor on this worker: do not call it again\",\"type\":\"NoHandler\"}`

// typedInput is what the model must be shown in the last round, in the shape of
// the Responses API; item ids of the model's own are left out.
const typedInput = `[
	{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},
	{"type":"function_call","status":"completed","call_id":"c1","name":"ask","arguments":"{\"q\":\"why\"}"},
	{"type":"function_call","status":"completed","call_id":"c2","name":"patch","arguments":"{\"input\":\"*** Begin\"}"},
	{"type":"function_call_output","call_id":"c1","output":"because"},
	{"type":"function_call_output","call_id":"c2","output":"patched *** Begin"},
	{"type":"function_call","status":"completed","call_id":"c3","name":"crm__lookup","arguments":"{}"},
	{"type":"function_call","status":"completed","call_id":"c4","name":"weather","arguments":"{}"},
	{"type":"function_call_output","call_id":"c3","output":"found"},
	{"type":"function_call_output","call_id":"c4","output":"sunny"},
	{"type":"function_call","status":"completed","call_id":"c5","name":"crm__note","arguments":"{\"input\":\"called\"}"},
	{"type":"function_call","status":"completed","call_id":"c6","name":"file_search","arguments":"{}"},
	{"type":"function_call_output","call_id":"c5","output":"noted"},
	{"type":"function_call_output","call_id":"c6","output":"` + noExecutor + `"}]`

// typedMessages is the same for Chat Completions.
const typedMessages = `[
	{"role":"system","content":"Be brief."},
	{"role":"user","content":"go"},
	{"role":"assistant","content":null,"tool_calls":[
		{"id":"c1","type":"function","function":{"name":"ask","arguments":"{\"q\":\"why\"}"}},
		{"id":"c2","type":"function","function":{"name":"patch","arguments":"{\"input\":\"*** Begin\"}"}}]},
	{"role":"tool","tool_call_id":"c1","content":"because"},
	{"role":"tool","tool_call_id":"c2","content":"patched *** Begin"},
	{"role":"assistant","content":null,"tool_calls":[
		{"id":"c3","type":"function","function":{"name":"crm__lookup","arguments":"{}"}},
		{"id":"c4","type":"function","function":{"name":"weather","arguments":"{}"}}]},
	{"role":"tool","tool_call_id":"c3","content":"found"},
	{"role":"tool","tool_call_id":"c4","content":"sunny"},
	{"role":"assistant","content":null,"tool_calls":[
		{"id":"c5","type":"function","function":{"name":"crm__note","arguments":"{\"input\":\"called\"}"}},
		{"id":"c6","type":"function","function":{"name":"file_search","arguments":"{}"}}]},
	{"role":"tool","tool_call_id":"c5","content":"noted"},
	{"role":"tool","tool_call_id":"c6","content":"` + noExecutor + `"}]`

func TestEveryTypeMakesItsRoundTripOverBothModelAPIs(t *testing.T) {
	t.Parallel()
	for api, want := range map[string]struct{ field, conversation string }{
		"responses": {"input", typedInput}, "chat": {"messages", typedMessages},
	} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, typedScript())
			s.work(api, worker.WithTools(fixed("weather", "sunny")))
			ctx := within(t)
			run, err := s.starter.Start(ctx, json.RawMessage(typedRequest))
			require.NoError(t, err)
			require.NoError(t, run.Serve(ctx, typedHandlers()))
			result, err := run.Result(ctx)
			require.NoError(t, err)
			require.Equal(t, contract.Completed, result.Status)
			require.Equal(t, "done", result.OutputText)
			require.JSONEq(t, `["ask","crm__lookup","crm__note","patch","weather"]`, shownTools(t, s.model.Requests()[0]))
			require.JSONEq(t, want.conversation, sentField(t, s.model.Requests()[3], want.field))
			requirePublicShapes(t, result)
		})
	}
}

// requirePublicShapes checks that the caller gets back what it declared.
func requirePublicShapes(t *testing.T, result *contract.Result) {
	t.Helper()
	var got []string
	for _, it := range result.Output {
		var h struct {
			item.Head
			Input *string `json:"input"`
		}
		require.NoError(t, json.Unmarshal(it, &h))
		if item.IsCall(h.Type) {
			line := h.Type + " " + h.CallID + " " + h.Namespace + "/" + h.Name
			if h.Input != nil {
				line += " " + *h.Input
			}
			got = append(got, line)
		}
	}
	require.Equal(t, []string{
		"function_call c1 /ask", "custom_tool_call c2 /patch *** Begin",
		"function_call c3 crm/lookup", "custom_tool_call c5 crm/note called",
	}, got)
}

// sentField is a member of a request to the model, without the item ids that
// the model made.
func sentField(t *testing.T, request harness.Request, field string) string {
	t.Helper()
	var body map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(request.Body, &body))
	var list []map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body[field], &list))
	for _, one := range list {
		delete(one, "id")
	}
	text, err := json.Marshal(list)
	require.NoError(t, err)
	return string(text)
}

// shownTools are the names that a request offers, sorted as declared.
func shownTools(t *testing.T, request harness.Request) string {
	t.Helper()
	decoded, err := harness.Decode(request)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, tool := range decoded.Tools {
		require.Equal(t, "function", tool.Type)
		names[tool.Name] = true
	}
	sorted := make([]string, 0, len(names))
	for _, n := range []string{"ask", "crm__lookup", "crm__note", "patch", "weather", "file_search", "web_search"} {
		if names[n] {
			sorted = append(sorted, n)
		}
	}
	text, err := json.Marshal(sorted)
	require.NoError(t, err)
	return string(text)
}
