package contract_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/workflows/contract"
)

func TestRequestFaultsNameTheirPath(t *testing.T) {
	t.Parallel()
	fn := `{"type":"function","name":"f"}`
	for name, row := range map[string]struct {
		request string
		paths   []string
	}{
		"not JSON":                          {`{"model":`, []string{""}},
		"empty":                             {``, []string{""}},
		"an array":                          {`[]`, []string{""}},
		"null":                              {`null`, []string{""}},
		"nothing given":                     {`{}`, []string{"model", "input"}},
		"wrong types":                       {`{"model":1,"input":2,"instructions":[],"parallel_tool_calls":"yes","max_tool_calls":"3","metadata":{"a":1},"tools":{}}`, []string{"model", "instructions", "parallel_tool_calls", "input", "tools", "max_tool_calls", "metadata"}},
		"empty input":                       {`{"model":"m","input":" "}`, []string{"input"}},
		"empty items":                       {`{"model":"m","input":[]}`, []string{"input"}},
		"bad items":                         {`{"model":"m","input":[1,{"x":1},{"role":"boss","content":"x"},{"role":"user"},{"type":"message","content":"x"}]}`, []string{"input[0]", "input[1].type", "input[2].role", "input[3].content", "input[4].role"}},
		"output without its call":           {`{"model":"m","input":[{"type":"function_call_output","call_id":"c","output":"x"}]}`, []string{"input[0].call_id"}},
		"call without its output":           {`{"model":"m","input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}`, []string{"input[0]"}},
		"output of the wrong kind":          {`{"model":"m","input":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"custom_tool_call_output","call_id":"c","output":"x"}]}`, []string{"input[1].type"}},
		"call without id and name":          {`{"model":"m","input":[{"type":"function_call","arguments":"{}"}]}`, []string{"input[0].call_id", "input[0].name"}},
		"tool without a type":               {`{"model":"m","input":"x","tools":[{"name":"f"}]}`, []string{"tools[0].type"}},
		"tool without a name":               {`{"model":"m","input":"x","tools":[{"type":"function"}]}`, []string{"tools[0].name"}},
		"tool that is no object":            {`{"model":"m","input":"x","tools":[3]}`, []string{"tools[0]"}},
		"parameters that are no object":     {`{"model":"m","input":"x","tools":[{"type":"function","name":"f","parameters":"x"}]}`, []string{"tools[0].parameters"}},
		"choice of a tool not declared":     {`{"model":"m","input":"x","tools":[` + fn + `],"tool_choice":{"type":"function","name":"g"}}`, []string{"tool_choice.name"}},
		"required without tools":            {`{"model":"m","input":"x","tool_choice":"required"}`, []string{"tool_choice"}},
		"required with unknown tools only":  {`{"model":"m","input":"x","tools":[{"type":"teleport"}],"tool_choice":"required"}`, []string{"tool_choice"}},
		"choice of an odd word":             {`{"model":"m","input":"x","tool_choice":"always"}`, []string{"tool_choice"}},
		"choice that is a number":           {`{"model":"m","input":"x","tool_choice":7}`, []string{"tool_choice"}},
		"allowed tools not declared":        {`{"model":"m","input":"x","tools":[` + fn + `],"tool_choice":{"type":"allowed_tools","mode":"x","tools":[{"type":"function","name":"g"}]}}`, []string{"tool_choice.mode", "tool_choice.tools[0].name"}},
		"bad options":                       {`{"model":"m","input":"x","run":{"max_rounds":0,"tool_timeout":"soon","client_timeout":"-1s","tool_execution":"random","max_parallel_calls":"5","text_calls":"yes","oops":1}}`, []string{"run.oops", "run.max_rounds", "run.max_parallel_calls", "run.tool_timeout", "run.client_timeout", "run.text_calls", "run.tool_execution"}},
		"run that is no object":             {`{"model":"m","input":"x","run":[]}`, []string{"run"}},
		"earlier responses":                 {`{"model":"m","input":"x","previous_response_id":"r"}`, []string{"previous_response_id"}},
		"everything at once is all listed":  {`{"input":"","tools":[{"type":"function"},{"type":"platform"}],"run":{"max_rounds":-1}}`, []string{"model", "input", "tools[0].name", "tools[1].name", "run.max_rounds"}},
		"null members count as left out":    {`{"model":"m","input":"x","tools":null,"tool_choice":null,"run":null,"instructions":null,"metadata":null}`, nil},
		"a message may leave its type out":  {`{"model":"m","input":[{"role":"user","content":"hi"}]}`, nil},
		"an unknown tool type is kept":      {`{"model":"m","input":"x","tools":[{"type":"teleport"}]}`, nil},
		"an unknown item type is kept":      {`{"model":"m","input":[{"type":"item_reference","id":"i"}]}`, nil},
		"a call id may return once it ends": {`{"model":"m","input":[{"type":"function_call","call_id":"c","name":"f"},{"type":"function_call_output","call_id":"c","output":"1"},{"type":"function_call","call_id":"c","name":"f"},{"type":"function_call_output","call_id":"c","output":"2"}]}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, faults := contract.DecodeRequest([]byte(row.request))
			var paths []string
			for _, f := range faults {
				paths = append(paths, f.Path)
				require.NotEmpty(t, f.Message)
			}
			require.Equal(t, row.paths, paths, "%v", faults)
		})
	}
}

func TestRequestDefaultsAndValues(t *testing.T) {
	t.Parallel()
	r, faults := contract.DecodeRequest([]byte(`{"model":"m","input":"hi"}`))
	require.Empty(t, faults)
	require.Equal(t, contract.DefaultOptions(), r.Run)
	require.JSONEq(t, `{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}`, string(r.Input[0]))

	r, faults = contract.DecodeRequest([]byte(`{"model":"m","input":"hi","temperature":0.20,"vendor":{"n":9007199254740993},
		"stream":true,"background":false,
		"run":{"tool_timeout":"0s","client_timeout":"72h","duplicate_tools":"last","undeclared_tools":"client","read_only":true,"text_calls":true}}`))
	require.Empty(t, faults)
	require.Zero(t, r.Run.ToolTimeout.Limit())
	require.Equal(t, 72*time.Hour, r.Run.ClientTimeout.Limit())
	require.Equal(t, tools.DuplicatesLast, r.Run.DuplicateTools)
	require.Equal(t, contract.UndeclaredClient, r.Run.UndeclaredTools)
	require.True(t, r.Run.ReadOnly)
	require.True(t, r.Run.TextCalls)
	require.Equal(t, map[string]json.RawMessage{
		"temperature": json.RawMessage(`0.20`), "vendor": json.RawMessage(`{"n":9007199254740993}`),
	}, r.Settings, "what Errand does not interpret stays as written")
	require.Len(t, r.Warnings, 1, "stream is taken out with a warning")
}
