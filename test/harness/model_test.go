package harness

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first and the second request of a run with one call, in both dialects.
const (
	responsesFirst = `{"model":"m","instructions":"Be brief.","input":"Fly to JFK.",` +
		`"tools":[{"type":"function","name":"fly","parameters":{"type":"object","properties":{}},"strict":true}],"tool_choice":"auto","parallel_tool_calls":false}`
	responsesSecond = `{"model":"m","instructions":"Be brief.","input":[{"role":"user","content":"Fly to JFK."},` +
		`{"type":"reasoning","id":"rs_1","summary":[]},{"type":"function_call","call_id":"call_1_0","name":"fly","arguments":"{}"},` +
		`{"type":"function_call","call_id":"call_1_1","name":"fly","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"call_1_0","output":"9:00"},{"type":"function_call_output","call_id":"call_1_1","output":"10:00"}]}`
	chatFirst = `{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Fly to JFK."}],` +
		`"tools":[{"type":"function","function":{"name":"fly","parameters":{"type":"object","properties":{}},"strict":true}}],"tool_choice":"auto","parallel_tool_calls":false}`
	chatSecond = `{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Fly to JFK."},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"call_1_0","type":"function","function":{"name":"fly","arguments":"{}"}},{"id":"call_1_1","type":"function","function":{"name":"fly","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"call_1_0","content":"9:00"},{"role":"tool","tool_call_id":"call_1_1","content":"10:00"}]}`
)

var flight = Rounds(
	Reasoning("Two ways.").And(Say("Looking.")).And(Calls(
		ToolCall{Name: "fly", Arguments: `{"to":"JFK"}`}, ToolCall{ID: "mine", Name: "fly", Arguments: "{"}, ToolCall{ID: NoID, Name: "now"},
	)).WithUsage(30, 12),
	Say("It leaves at 9:00 & 10:00."),
)

func TestBothDialectsSayTheSame(t *testing.T) {
	t.Parallel()
	model := StartModel(t, flight)
	first := said{
		Text: "Looking.", Reasoning: "Two ways.", Tokens: 42,
		Calls: []ToolCall{{"call_1_0", "fly", `{"to":"JFK"}`}, {"mine", "fly", "{"}, {"", "now", ""}},
	}
	second := said{Text: "It leaves at 9:00 & 10:00.", Tokens: 15}

	_, body := post(t, model.URL()+"/responses", responsesFirst)
	first.Stop = "completed"
	require.Equal(t, first, readResponses(t, body))
	_, body = post(t, model.URL()+"/responses", responsesSecond)
	second.Stop = "completed"
	require.Equal(t, second, readResponses(t, body))

	_, body = post(t, model.URL()+"/chat/completions", chatFirst)
	first.Stop = "tool_calls"
	require.Equal(t, first, readChat(t, body))
	_, body = post(t, model.URL()+"/chat/completions", chatSecond)
	second.Stop = "stop"
	require.Equal(t, second, readChat(t, body))
}

func TestRepeatedRequestGetsTheSameBytes(t *testing.T) {
	t.Parallel()
	model := StartModel(t, flight)
	for _, request := range []struct{ path, body string }{
		{"/responses", responsesFirst},
		{"/responses", responsesSecond},
		{"/chat/completions", chatFirst},
		{"/chat/completions", strings.Replace(chatFirst, "{", `{"stream":true,`, 1)},
	} {
		_, before := post(t, model.URL()+request.path, request.body)
		post(t, model.URL()+"/responses", responsesSecond)
		_, after := post(t, model.URL()+request.path, request.body)
		require.Equal(t, before, after)
	}
}

func TestRequestsAreRecordedByteForByte(t *testing.T) {
	t.Parallel()
	model := StartModel(t, Always(Say("yes")))
	odd := "{ \"input\" :\t\"\\u00e9 é\", \"model\":\"m\", \"n\": 1e400 }\n\n"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, model.URL()+"/responses", strings.NewReader(odd))
	require.NoError(t, err)
	request.Header.Set("Idempotency-Key", "run_1/2")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)

	recorded := model.Requests()
	require.Len(t, recorded, 1)
	require.Equal(t, odd, string(recorded[0].Body))
	require.Equal(t, "run_1/2", recorded[0].Header.Get("Idempotency-Key"))
	require.Equal(t, "POST /v1/responses", recorded[0].Method+" "+recorded[0].Path)
	require.False(t, recorded[0].At.IsZero())
}

func TestDecodeReadsBothDialects(t *testing.T) {
	t.Parallel()
	strict, parallel := true, false
	for path, bodies := range map[string][2]string{
		"/v1/responses":        {responsesFirst, responsesSecond},
		"/v1/chat/completions": {chatFirst, chatSecond},
	} {
		first, err := Decode(Request{Path: path, Body: []byte(bodies[0])})
		require.NoError(t, err)
		require.Equal(t, "m", first.Model)
		require.Equal(t, "Be brief.", first.Instructions)
		require.Equal(t, "Fly to JFK.", first.LastUserText())
		require.Equal(t, `"auto"`, string(first.ToolChoice))
		require.Equal(t, &parallel, first.ParallelToolCalls)
		require.Len(t, first.Tools, 1)
		require.Equal(t, "fly", first.Tools[0].Name)
		require.Equal(t, "function", first.Tools[0].Type)
		require.Equal(t, &strict, first.Tools[0].Strict)
		require.JSONEq(t, `{"type":"object","properties":{}}`, string(first.Tools[0].Parameters))
		require.Zero(t, first.Turn())
		require.Empty(t, first.Outputs())

		second, err := Decode(Request{Path: path, Body: []byte(bodies[1])})
		require.NoError(t, err)
		require.Equal(t, 1, second.Turn(), "calls of one batch are one turn")
		require.Equal(t, []CallOutput{{"call_1_0", "9:00"}, {"call_1_1", "10:00"}}, second.Outputs())
		require.NotEqual(t, first.Fingerprint(), second.Fingerprint())
	}
}

func TestBadRequestsAreRefused(t *testing.T) {
	t.Parallel()
	model := StartModel(t, Always(Say("yes")))
	for path, body := range map[string]string{
		"/responses": `{"input":7}`, "/chat/completions": `{"messages":"x"}`,
	} {
		response, answer := post(t, model.URL()+path, body)
		require.Equal(t, http.StatusBadRequest, response.StatusCode)
		require.Contains(t, answer, `"code":"invalid_json"`)
	}
	response, answer := post(t, model.URL()+"/embeddings", "{}")
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	require.Contains(t, answer, "Invalid URL (POST /v1/embeddings)")
}

func TestModelsAreListed(t *testing.T) {
	t.Parallel()
	model := StartModel(t, Always(Say("yes")))
	response, err := http.Get(model.URL() + "/models")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "/v1/models", model.Requests()[0].Path)
}
