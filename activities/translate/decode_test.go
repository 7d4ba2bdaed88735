package translate

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/tools"
	"errand/tools/item"
)

func TestAnswersAreRepairedInForm(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ item, want string }{
		"a whole call stays":        {`{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":1}"}`, `{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":1}"}`},
		"blank arguments":           {`{"type":"function_call","call_id":"c","name":"f","arguments":" "}`, `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`},
		"no arguments":              {`{"type":"function_call","call_id":"c","name":"f"}`, `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`},
		"null arguments":            {`{"type":"function_call","call_id":"c","name":"f","arguments":null}`, `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`},
		"arguments as an object":    {`{"type":"function_call","call_id":"c","name":"f","arguments":{"a":9007199254740993}}`, `{"type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":9007199254740993}"}`},
		"broken arguments are kept": {`{"type":"function_call","call_id":"c","name":"f","arguments":"{oops"}`, `{"type":"function_call","call_id":"c","name":"f","arguments":"{oops"}`},
		"no id":                     {`{"type":"function_call","name":"f","arguments":"{}"}`, `{"type":"function_call","call_id":"call_3_0","name":"f","arguments":"{}"}`},
		"null id":                   {`{"type":"function_call","call_id":null,"name":"f","arguments":"{}"}`, `{"type":"function_call","call_id":"call_3_0","name":"f","arguments":"{}"}`},
		"unknown fields stay":       {`{"type":"function_call","call_id":"c","name":"f","arguments":"{}","vendor":1}`, `{"type":"function_call","call_id":"c","name":"f","arguments":"{}","vendor":1}`},
		"a model-visible name":      {`{"type":"function_call","call_id":"c","name":"get_flight_1","arguments":"{}"}`, `{"type":"function_call","call_id":"c","name":"get.flight","arguments":"{}"}`},
		"a member of a namespace":   {`{"type":"function_call","call_id":"c","name":"crm__lookup","arguments":"{}"}`, `{"type":"function_call","call_id":"c","namespace":"crm","name":"lookup","arguments":"{}"}`},
		"a member joined by a dot":  {`{"type":"function_call","call_id":"c","name":"crm.lookup","arguments":"{}"}`, `{"type":"function_call","call_id":"c","namespace":"crm","name":"lookup","arguments":"{}"}`},
		"a custom tool":             {`{"type":"function_call","id":"fc_1","call_id":"c","name":"patch","arguments":"{\"input\":\"*** Begin\"}"}`, `{"type":"custom_tool_call","id":"ctc_1","call_id":"c","name":"patch","input":"*** Begin"}`},
		"a custom tool, bare text":  {`{"type":"function_call","call_id":"c","name":"patch","arguments":"*** Begin"}`, `{"type":"custom_tool_call","call_id":"c","name":"patch","input":"*** Begin"}`},
		"a custom tool, a string":   {`{"type":"function_call","call_id":"c","name":"patch","arguments":"\"*** Begin\""}`, `{"type":"custom_tool_call","call_id":"c","name":"patch","input":"*** Begin"}`},
		"a message":                 {`{"type":"message","role":"assistant","content":"hi"}`, `{"type":"message","role":"assistant","content":"hi"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(Surface{
				Tools: []model.FunctionTool{{Name: "get_flight_1"}, {Name: "crm__lookup"}, {Name: "patch"}},
				Names: []Name{
					{Visible: "get_flight_1", Identity: tools.Identity{Name: "get.flight"}, Type: tools.TypeFunction},
					{Visible: "crm__lookup", Identity: tools.Identity{Namespace: "crm", Name: "lookup"}, Type: tools.TypeFunction},
					{Visible: "patch", Identity: tools.Identity{Name: "patch"}, Type: tools.TypeCustom},
				},
			})
			items, _ := s.Decode([]json.RawMessage{json.RawMessage(row.item)}, 3)
			require.JSONEq(t, row.want, string(items[0]))
		})
	}
}

func TestRepeatedCallIDsBecomeDifferent(t *testing.T) {
	t.Parallel()
	one := item.FunctionCall("c", "f", "{}")
	items, notes := New(Surface{}).Decode([]json.RawMessage{one, one, one}, 2)
	seen := map[string]bool{}
	for _, it := range items {
		head, err := item.Peek(it)
		require.NoError(t, err)
		require.False(t, seen[head.CallID], head.CallID)
		seen[head.CallID] = true
	}
	require.Len(t, notes, 2)
}

func TestGeneratedIDsNeverClash(t *testing.T) {
	t.Parallel()
	items, _ := New(Surface{}).Decode([]json.RawMessage{
		item.FunctionCall("call_2_1", "f", "{}"), item.FunctionCall("", "f", "{}"), item.FunctionCall("call_2_0", "f", "{}"), item.FunctionCall("call_2_2", "f", "{}"), item.FunctionCall("", "f", "{}"),
	}, 2)
	seen := map[string]bool{}
	for _, it := range items {
		head, err := item.Peek(it)
		require.NoError(t, err)
		require.False(t, seen[head.CallID], "%s twice", head.CallID)
		seen[head.CallID] = true
	}
}

func TestNamesGoOutAsTheModelKnowsThem(t *testing.T) {
	t.Parallel()
	s := New(Surface{
		Tools: []model.FunctionTool{{Name: "get_flight_1"}, {Name: "crm__lookup"}, {Name: "patch"}},
		Names: []Name{
			{Visible: "get_flight_1", Identity: tools.Identity{Name: "get.flight"}, Type: tools.TypeFunction},
			{Visible: "crm__lookup", Identity: tools.Identity{Namespace: "crm", Name: "lookup"}, Type: tools.TypeFunction},
			{Visible: "patch", Identity: tools.Identity{Name: "patch"}, Type: tools.TypeCustom},
		},
	})
	out := s.Encode([]json.RawMessage{item.FunctionCall("c", "get.flight", "{}"), item.Message("user", "get.flight")})
	require.Contains(t, string(out[0]), `"get_flight_1"`)
	require.Contains(t, string(out[1]), `"get.flight"`)
	require.JSONEq(t, `{"type":"function","name":"get_flight_1"}`, string(s.EncodeChoice(json.RawMessage(`{"type":"platform","name":"get.flight"}`))))
	require.JSONEq(t, `{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"get_flight_1"}]}`,
		string(s.EncodeChoice(json.RawMessage(`{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"get.flight"}]}`))))
	require.JSONEq(t, `"auto"`, string(s.EncodeChoice(json.RawMessage(`"auto"`))))
}
