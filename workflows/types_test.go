package workflows_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/tools/item"
	"errand/workflows/contract"
)

const everyType = `{"model":"m","input":"go","tools":[
	{"type":"function","name":"ask"},
	{"type":"custom","name":"patch","format":{"type":"grammar","syntax":"lark","definition":"start: /.+/"}},
	{"type":"namespace","name":"crm","description":"Customers.","tools":[
		{"type":"function","name":"lookup","parameters":{"type":"object","properties":{"id":{"type":"integer"}}}},
		{"type":"custom","name":"note"}]},
	{"type":"namespace","name":"crm","tools":[{"name":"ask"}]},
	{"type":"mcp","server_label":"db","server_url":"http://127.0.0.1:1/mcp","require_approval":"never","headers":{"Authorization":"secret"}},
	{"type":"web_search_preview_2025_03_11"},
	{"type":"file_search","vector_store_ids":["v"]},
	{"type":"code_interpreter","container":{"type":"auto"}},
	{"type":"platform","name":"a"},
	{"type":"teleport","to":"Mars"}]%s}`

// callItem is an answer with calls in their public shapes, as the infer
// activity restores them.
func callItem(items ...string) activities.InferResult {
	var r activities.InferResult
	for _, it := range items {
		r.Items = append(r.Items, json.RawMessage(it))
	}
	return r
}

func TestEveryTypeOfToolHasItsOwnerAndShape(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A")}, activities.Hooks{}, callItem(
		`{"type":"function_call","call_id":"1","name":"ask","arguments":"{}"}`,
		`{"type":"custom_tool_call","call_id":"2","name":"patch","input":"*** Begin <x>"}`,
		`{"type":"function_call","call_id":"3","namespace":"crm","name":"lookup","arguments":"{\"id\":\"7\"}"}`,
		`{"type":"custom_tool_call","call_id":"4","namespace":"crm","name":"note","input":""}`,
		`{"type":"function_call","call_id":"5","namespace":"crm","name":"ask","arguments":"{}"}`,
		`{"type":"function_call","call_id":"6","name":"a","arguments":"{}"}`,
		`{"type":"function_call","call_id":"7","name":"web_search","arguments":"{}"}`,
		`{"type":"function_call","call_id":"8","name":"file_search","arguments":"{}"}`,
		`{"type":"function_call","call_id":"9","name":"code_interpreter","arguments":"{}"}`,
		`{"type":"function_call","call_id":"10","name":"teleport","arguments":"{}"}`,
	), say("done"))
	b.RegisterDelayedCallback(func() {
		var status contract.StatusReport
		b.query(contract.QueryStatus, &status)
		var got []string
		for _, a := range status.Actions {
			a.RunID = "run"
			text, err := json.Marshal(a.Manifest)
			require.NoError(t, err)
			got = append(got, string(text))
		}
		require.Equal(t, []string{
			`{"type":"tool_call_manifest","run_id":"run","action_id":"act_1_0","tool_call_id":"1","tool":"ask","args":{}}`,
			`{"type":"tool_call_manifest","run_id":"run","action_id":"act_1_1","tool_call_id":"2","tool":"patch","input":"*** Begin \u003cx\u003e"}`,
			`{"type":"tool_call_manifest","run_id":"run","action_id":"act_1_2","tool_call_id":"3","namespace":"crm","tool":"lookup","args":{"id":7}}`,
			`{"type":"tool_call_manifest","run_id":"run","action_id":"act_1_3","tool_call_id":"4","namespace":"crm","tool":"note","input":""}`,
			`{"type":"tool_call_manifest","run_id":"run","action_id":"act_1_4","tool_call_id":"5","namespace":"crm","tool":"ask","args":{}}`,
		}, got)
		b.update(contract.ToolOutput, `{"type":"function_call_output","call_id":"2","output":"x"}`, func(_ contract.Receipt, err error) {
			require.ErrorContains(t, err, "custom_tool_call_output")
		})
		for _, answer := range []string{
			`{"type":"function_call_output","call_id":"1","output":"one"}`, `{"type":"custom_tool_call_output","call_id":"2","output":"two"}`,
			`{"tool_call_id":"3","output":"three"}`, `{"action_id":"act_1_3","output":"four"}`, `{"tool_call_id":"5","output":"five"}`,
		} {
			b.SignalWorkflow(contract.ToolOutput, json.RawMessage(answer))
		}
	}, time.Minute)
	result, err := b.run(replaceVerb(everyType, ""))
	require.NoError(t, err)

	outputs := map[string]string{}
	for _, it := range b.conversation() {
		var o struct {
			Type   string `json:"type"`
			CallID string `json:"call_id"`
			Output string `json:"output"`
		}
		require.NoError(t, json.Unmarshal(it, &o))
		if o.Type == item.TypeFunctionCallOutput || o.Type == item.TypeCustomCallOutput {
			outputs[o.CallID+" "+o.Type] = o.Output
		}
	}
	require.Len(t, outputs, 10)
	require.Equal(t, "one", outputs["1 function_call_output"])
	require.Equal(t, "two", outputs["2 custom_tool_call_output"])
	require.Equal(t, "four", outputs["4 custom_tool_call_output"])
	require.Equal(t, "A", outputs["6 function_call_output"])
	for _, id := range []string{"7", "8", "9"} {
		require.Contains(t, outputs[id+" function_call_output"], "NoHandler", "never a silent drop")
	}
	require.Contains(t, outputs["10 function_call_output"], "UnknownTool")

	require.Len(t, result.Run.Warnings, 5, "the server, the unknown type, and three that nobody executes: %v", result.Run.Warnings)
	require.Contains(t, string(result.Output[0]), `"mcp_list_tools"`)
	require.NotContains(t, string(result.Output[0]), "secret")
	require.Contains(t, string(result.Tools), `"teleport"`, "the caller's own declarations are echoed")
	require.NotContains(t, string(result.Tools), "secret")
	public := 0
	for _, it := range result.Output {
		head, err := item.Peek(it)
		require.NoError(t, err)
		if item.IsCall(head.Type) {
			public++
			require.NotContains(t, []string{"6", "7", "8", "9", "10"}, head.CallID, "only the client's own calls are public")
		}
	}
	require.Equal(t, 5, public)
}

func replaceVerb(format, extra string) string {
	return format[:len(format)-3] + extra + "}"
}

func TestToolChoiceInAllItsForms(t *testing.T) {
	t.Parallel()
	for choice, fault := range map[string]string{
		`"auto"`: "", `"none"`: "", `"required"`: "",
		`{"type":"function","name":"ask"}`:                      "",
		`{"type":"function","name":"lookup","namespace":"crm"}`: "",
		`{"type":"function","name":"crm.lookup"}`:               "",
		`{"type":"custom","name":"patch"}`:                      "",
		`{"type":"platform","name":"a"}`:                        "",
		`{"type":"mcp","server_label":"db"}`:                    "",
		`{"type":"mcp","server_label":"db","name":"q"}`:         "",
		`{"type":"web_search"}`:                                 "",
		`{"type":"web_search_preview"}`:                         "",
		`{"type":"file_search"}`:                                "tool_choice.type",
		`{"type":"code_interpreter"}`:                           "tool_choice.type",
		`{"type":"image_generation"}`:                           "tool_choice.type",
		`{"type":"function","name":"lookup"}`:                   "tool_choice.name",
		`{"type":"function","name":""}`:                         "tool_choice.name",
		`{"type":"mcp","server_label":"other"}`:                 "tool_choice.server_label",
		`{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"ask"},{"type":"mcp","server_label":"db"}]}`: "",
		`{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"nope"}]}`:                                   "tool_choice.tools[0].name",
	} {
		_, faults := contract.DecodeRequest([]byte(replaceVerb(everyType, `,"tool_choice":`+choice)))
		if fault == "" {
			require.Empty(t, faults, choice)
			continue
		}
		require.Len(t, faults, 1, choice)
		require.Equal(t, fault, faults[0].Path, choice)
	}
}

func TestDeclarationsAreCheckedByType(t *testing.T) {
	t.Parallel()
	for declaration, fault := range map[string]string{
		`{"type":"custom"}`: "tools[0].name",
		`{"type":"custom","name":"p","format":{"type":"yaml"}}`:                       "tools[0].format.type",
		`{"type":"custom","name":"p","format":{"type":"grammar","syntax":"bnf"}}`:     "tools[0].format.syntax",
		`{"type":"custom","name":"p","format":{"type":"grammar","syntax":"regex"}}`:   "tools[0].format.definition",
		`{"type":"namespace","tools":[{"name":"f"}]}`:                                 "tools[0].name",
		`{"type":"namespace","name":"n"}`:                                             "tools[0].tools",
		`{"type":"namespace","name":"n","tools":[{"type":"mcp","server_label":"x"}]}`: "tools[0].tools[0].type",
		`{"type":"namespace","name":"n","tools":[{"type":"function"}]}`:               "tools[0].tools[0].name",
		`{"type":"mcp"}`: "tools[0].server_label",
		`{"type":"mcp","server_label":"x","require_approval":"maybe"}`:                      "tools[0].require_approval",
		`{"type":"mcp","server_label":"x","require_approval":{"never":{"tool_names":"q"}}}`: "tools[0].require_approval.never.tool_names",
		`{"type":"mcp","server_label":"x","allowed_tools":7}`:                               "tools[0].allowed_tools",
		`{"type":"web_search","search_context_size":"huge"}`:                                "tools[0].search_context_size",
		`{"type":"web_search","max_uses":0}`:                                                "tools[0].max_uses",
		`{"type":"file_search"}`:                                                            "tools[0].vector_store_ids",
		`{"type":"code_interpreter"}`:                                                       "tools[0].container",
	} {
		_, faults := contract.DecodeRequest([]byte(`{"model":"m","input":"x","tools":[` + declaration + `]}`))
		require.Len(t, faults, 1, "%s: %v", declaration, faults)
		require.Equal(t, fault, faults[0].Path, declaration)
	}
}

func TestNamesClashAcrossAllSources(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ tools, want string }{
		"a flattened member and a function": {`{"type":"namespace","name":"crm","tools":[{"name":"f"}]},{"type":"function","name":"crm__f"}`, `function "crm__f" clashes with function "crm.f" of tools[0].tools[0]`},
		"a function and a platform tool":    {`{"type":"function","name":"a"},{"type":"platform","name":"a"}`, `platform "a" clashes with function "a" of tools[0]`},
		"a function and web search":         {`{"type":"web_search"},{"type":"function","name":"web_search"}`, `function "web_search" clashes with web_search "web_search" of tools[0]`},
		"a function and a hosted tool":      {`{"type":"function","name":"file_search"},{"type":"file_search","vector_store_ids":["v"]}`, `file_search "file_search" clashes with function "file_search" of tools[0]`},
		"a function and a custom tool":      {`{"type":"function","name":"x"},{"type":"custom","name":"x"}`, `custom "x" clashes with function "x" of tools[0]`},
		"members that differ":               {`{"type":"namespace","name":"n","tools":[{"name":"f"}]},{"type":"namespace","name":"n","tools":[{"name":"f","description":"other"}]}`, `function "n.f" clashes`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, source{"a": answers("A")}, activities.Hooks{})
			_, err := b.run(`{"model":"m","input":"x","tools":[` + row.tools + `]}`)
			require.ErrorContains(t, err, row.want)
		})
	}
}

func TestMaxUsesBoundsOneTool(t *testing.T) {
	t.Parallel()
	b := newBench(t, source{"a": answers("A"), "b": answers("B")}, activities.Hooks{},
		calls("1", "a", `{}`, "2", "a", `{}`, "3", "b", `{}`), calls("4", "a", `{}`), say("done"))
	_, err := b.run(`{"model":"m","input":"go","tools":[{"type":"platform","name":"a","max_uses":1},{"type":"platform","name":"b"}]}`)
	require.NoError(t, err)
	got := b.outputs()
	require.Equal(t, "A", got[0])
	require.Contains(t, got[1], "max_uses")
	require.Equal(t, "B", got[2])
	require.Contains(t, got[3], "BudgetExceeded")
}
