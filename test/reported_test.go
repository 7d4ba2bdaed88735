package test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/tools/item"
	"errand/worker"
	"errand/workflows/contract"
)

// report is a fault that users of other gateways and servers have reported, as
// a run that must go right here.
type report struct {
	api     string
	request string
	script  harness.Script
	// check sees the run's end and every request that reached the model.
	check func(t *testing.T, result *contract.Result, requests []harness.Request)
	// invalid is the path of the fault of a request that must be refused.
	invalid string
}

const (
	spawnTools = `"tools":[{"type":"namespace","name":"collab","tools":[{"type":"function","name":"spawn"}]}]`
	echoTool   = `"tools":[{"type":"platform","name":"echo"}]`
)

func chatAnswer(message, finish string) harness.Answer {
	return harness.Raw(`{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":` + message + `,"finish_reason":"` + finish + `"}]}`)
}

func reports() map[string]report {
	return map[string]report{
		"a member of a namespace comes back joined by a dot": {
			request: spawnTools, script: harness.Rounds(harness.Call("collab.spawn", `{}`), harness.Say("ok")), check: spawned,
		},
		"a member of a namespace comes back flattened": {
			api: "chat", request: spawnTools, script: harness.Rounds(harness.Call("collab__spawn", `{}`), harness.Say("ok")), check: spawned,
		},
		"only functions are shown to the model": {
			request: spawnTools[:len(spawnTools)-1] + `,{"type":"custom","name":"p"},{"type":"file_search","vector_store_ids":["v"]},{"type":"mcp","server_label":"s"}]`,
			script:  harness.Always(harness.Say("ok")),
			check: func(t *testing.T, _ *contract.Result, requests []harness.Request) {
				require.NotContains(t, string(requests[0].Body), `"namespace"`)
				require.NotContains(t, string(requests[0].Body), `"custom"`)
				require.Contains(t, string(requests[0].Body), `"collab__spawn"`, "a container is expanded, never dropped")
			},
		},
		"call ids repeat from round to round": {
			request: echoTool, script: harness.Rounds(
				harness.Calls(harness.ToolCall{ID: "ls:0", Name: "echo", Arguments: `{"n":1}`}),
				harness.Calls(harness.ToolCall{ID: "ls:0", Name: "echo", Arguments: `{"n":2}`}), harness.Say("ok")),
			check: outputsAre(2, `{"n":1}`, `{"n":2}`),
		},
		"an empty list of calls beside text": {
			api: "chat", request: echoTool, script: harness.Always(chatAnswer(`{"role":"assistant","content":"ok","tool_calls":[]}`, "tool_calls")), check: oneRound,
		},
		"blank arguments": {
			api: "chat", request: echoTool, script: harness.Rounds(chatAnswer(`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"echo","arguments":""}}]}`, "tool_calls"), harness.Say("ok")),
			check: outputsAre(1, `{}`),
		},
		"arguments as an object": {
			api: "chat", request: echoTool, script: harness.Rounds(chatAnswer(`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"echo","arguments":{"n":9007199254740993}}}]}`, "stop"), harness.Say("ok")),
			check: outputsAre(1, `{"n":9007199254740993}`),
		},
		"two calls although parallel calls are off": {
			request: echoTool + `,"parallel_tool_calls":false`, script: harness.Rounds(
				harness.Calls(harness.ToolCall{Name: "echo", Arguments: `{"n":1}`}, harness.ToolCall{Name: "echo", Arguments: `{"n":2}`}), harness.Say("ok")),
			check: outputsAre(1, `{"n":1}`, `{"n":2}`),
		},
		"a function without parameters": {
			request: `"tools":[{"type":"function","name":"now"},{"type":"function","name":"then","parameters":{}}]`, script: harness.Always(harness.Say("ok")),
			check: func(t *testing.T, _ *contract.Result, requests []harness.Request) {
				decoded, err := harness.Decode(requests[0])
				require.NoError(t, err)
				for _, tool := range decoded.Tools {
					require.JSONEq(t, `{"type":"object","properties":{}}`, string(tool.Parameters))
					require.Nil(t, tool.Strict, "strict is not made up")
				}
			},
		},
		"no tools and no choice": {
			request: `"tools":[],"tool_choice":null`, script: harness.Always(harness.Say("ok")),
			check: func(t *testing.T, _ *contract.Result, requests []harness.Request) {
				require.NotContains(t, string(requests[0].Body), "tool")
			},
		},
		"required without tools":          {request: `"tool_choice":"required"`, invalid: "tool_choice"},
		"an earlier response is named":    {request: `"previous_response_id":"resp_1"`, invalid: "previous_response_id"},
		"a call in history has no output": {request: `"input":[{"type":"function_call","call_id":"c","name":"f"}]`, invalid: "input[0]"},
		"a call inside a message":         {request: `"input":[{"role":"assistant","content":[{"type":"function_call","call_id":"c","name":"f"}]}]`, invalid: "input[0].content[0]"},
		"an output of the wrong kind":     {request: `"input":[{"type":"function_call","call_id":"c","name":"f"},{"type":"custom_tool_call_output","call_id":"c","output":"x"}]`, invalid: "input[1].type"},
		"an approval policy with a list":  {request: `"tools":[{"type":"mcp","server_label":"s","require_approval":{"never":{"tool_names":["ask"]}}}]`, script: harness.Always(harness.Say("ok")), check: oneRound},
		"calls and outputs in history become one assistant message": {
			api: "chat",
			request: `"input":[{"role":"user","content":"go"},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call","call_id":"b","name":"f","arguments":"{}"},
				{"role":"assistant","content":"wait"},{"type":"function_call_output","call_id":"a","output":"1"},{"type":"function_call_output","call_id":"b","output":"2"}]`,
			script: harness.Always(harness.Say("ok")),
			check: func(t *testing.T, _ *contract.Result, requests []harness.Request) {
				require.JSONEq(t, `[{"role":"user","content":"go"},
					{"role":"assistant","content":"wait","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]},
					{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"b","content":"2"}]`, sentField(t, requests[0], "messages"))
			},
		},
		"text beside a call is not the end": {
			request: echoTool, script: harness.Rounds(harness.Say("let me see").And(harness.Call("echo", `{"n":1}`)), harness.Say("ok")), check: outputsAre(1, `{"n":1}`),
		},
		"a call without a name": {
			api: "chat", request: echoTool, script: harness.Rounds(chatAnswer(`{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"","arguments":"{}"}}]}`, "tool_calls"), harness.Say("ok")),
			check: func(t *testing.T, result *contract.Result, _ []harness.Request) {
				require.Contains(t, result.Run.Traces[0].Error, "there is no tool")
			},
		},
		"a call cut at the length limit": {
			api: "chat", request: echoTool, script: harness.Rounds(harness.Call("echo", `{"path":"a`).Truncated(), harness.Say("ok")),
			check: func(t *testing.T, result *contract.Result, requests []harness.Request) {
				require.Contains(t, result.Run.Traces[0].Error, "cut")
				require.Contains(t, sentField(t, requests[1], "messages"), `"arguments":"{}"`, "what goes back to the model is valid")
			},
		},
		"a forced choice does not loop": {
			request: echoTool + `,"tool_choice":"required"`, script: harness.Rounds(harness.Call("echo", `{}`), harness.Say("ok")),
			check: func(t *testing.T, _ *contract.Result, requests []harness.Request) {
				first, err := harness.Decode(requests[0])
				require.NoError(t, err)
				second, err := harness.Decode(requests[1])
				require.NoError(t, err)
				require.JSONEq(t, `"required"`, string(first.ToolChoice))
				require.JSONEq(t, `"auto"`, string(second.ToolChoice))
			},
		},
		"names of 67 characters that differ at the end": {
			request: fmt.Sprintf(`"tools":[{"type":"function","name":"%s_aaa"},{"type":"function","name":"%s_bbb"}]`, strings.Repeat("n", 63), strings.Repeat("n", 63)),
			script:  harness.Always(harness.Say("ok")),
			check: func(t *testing.T, _ *contract.Result, requests []harness.Request) {
				decoded, err := harness.Decode(requests[0])
				require.NoError(t, err)
				require.NotEqual(t, decoded.Tools[0].Name, decoded.Tools[1].Name)
				require.LessOrEqual(t, len(decoded.Tools[0].Name), 64)
			},
		},
	}
}

func TestReportedFaultsGoRightHere(t *testing.T) {
	t.Parallel()
	for name, row := range reports() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := `{"model":"m",` + row.request
			if !strings.Contains(request, `"input":`) {
				request += `,"input":"go"`
			}
			request += `}`
			if row.invalid != "" {
				_, faults := contract.DecodeRequest([]byte(request))
				require.Len(t, faults, 1)
				require.Equal(t, row.invalid, faults[0].Path)
				return
			}
			s := newStage(t, row.script)
			s.work(map[string]string{"": "responses", "chat": "chat"}[row.api], worker.WithTools(echo()))
			ctx := within(t)
			run, err := s.starter.Start(ctx, json.RawMessage(request))
			require.NoError(t, err)
			require.NoError(t, run.Serve(ctx, starter.Handlers{
				"collab.spawn": func(context.Context, starter.Call) (any, error) { return "spawned", nil },
			}))
			result, err := run.Result(ctx)
			require.NoError(t, err)
			require.Equal(t, "ok", result.OutputText)
			row.check(t, result, s.model.Requests())
		})
	}
}

func echo() worker.Tool {
	tool := fixed("echo", "")
	tool.Execute = repeatArguments
	return tool
}

func spawned(t *testing.T, result *contract.Result, _ []harness.Request) {
	t.Helper()
	head, err := item.Peek(result.Output[0])
	require.NoError(t, err)
	require.Equal(t, "collab", head.Namespace)
	require.Equal(t, "spawn", head.Name)
}

func oneRound(t *testing.T, result *contract.Result, _ []harness.Request) {
	t.Helper()
	require.Equal(t, 1, result.Run.Rounds)
}

// outputsAre checks what the model was shown after a number of rounds.
func outputsAre(round int, want ...string) func(*testing.T, *contract.Result, []harness.Request) {
	return func(t *testing.T, _ *contract.Result, requests []harness.Request) {
		t.Helper()
		decoded, err := harness.Decode(requests[round])
		require.NoError(t, err)
		var got []string
		for _, it := range decoded.Items {
			var o struct{ Type, Output string }
			require.NoError(t, json.Unmarshal(it, &o))
			if o.Type == item.TypeFunctionCallOutput {
				got = append(got, o.Output)
			}
		}
		require.Equal(t, want, got)
	}
}
