package openaimodel_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel"
	"errand/tools/item"
)

func TestItemsLeaveByteForByte(t *testing.T) {
	t.Parallel()
	conversation := []string{
		`{"role":"user","content":"<hi> & \u00e4"}`,
		"{ \"type\": \"message\",\n\t\"role\":\"user\", \"content\":[{\"type\":\"input_text\",\"text\":\"a\u2028b\"}] }",
		`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"AAA="}`,
		`{"type":"function_call","call_id":"ls:0","name":"ls","arguments":"","vendor":{"n":9007199254740993,"f":1.0}}`,
		`{"type":"function_call_output","call_id":"ls:0","output":[{"type":"input_image","image_url":"data:,x"}]}`,
		`{"type":"unheard_of","x":1e2}`,
	}
	body := bodySent(t, "", model.Request{Model: "m", Items: items(conversation...)})
	var sent struct {
		Input []json.RawMessage `json:"input"`
	}
	require.NoError(t, json.Unmarshal(body, &sent))
	require.Equal(t, conversation, texts(sent.Input))
}

func TestResponsesRequestIsWrittenWhole(t *testing.T) {
	t.Parallel()
	strict, parallel := false, true
	body := bodySent(t, openaimodel.Responses, model.Request{
		Model: "m", Instructions: "be <brief>",
		Items: items(`{"role":"user","content":"hi"}`),
		Tools: []model.FunctionTool{
			{Name: "now"},
			{Name: "ask", Description: "asks", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"maximum":9007199254740993}}}`), Strict: &strict},
		},
		ToolChoice: json.RawMessage(`{"type":"function", "name":"ask"}`), ParallelToolCalls: &parallel,
		Settings: settings("temperature", "0.20", "vendor_key", `{"big":9007199254740993}`, "text", `{"verbosity":"low"}`, "top_p", "null"),
	})
	require.Equal(t, `{"model":"m","instructions":"be <brief>","input":[{"role":"user","content":"hi"}],"tools":[`+
		`{"type":"function","name":"now","parameters":{"type":"object","properties":{}}},`+
		`{"type":"function","name":"ask","description":"asks","parameters":{"type":"object","properties":{"n":{"maximum":9007199254740993}}},"strict":false}],`+
		`"tool_choice":{"type":"function", "name":"ask"},"parallel_tool_calls":true,`+
		`"temperature":0.20,"text":{"verbosity":"low"},"top_p":null,"vendor_key":{"big":9007199254740993}}`, string(body))
}

func TestWithoutToolsNothingIsSaidAboutThem(t *testing.T) {
	t.Parallel()
	parallel := false
	request := model.Request{
		Model: "m", Tools: []model.FunctionTool{}, ToolChoice: json.RawMessage(`"required"`), ParallelToolCalls: &parallel,
		Settings: settings("tool_choice", `"auto"`, "parallel_tool_calls", "true", "tools", "[]"),
	}
	require.JSONEq(t, `{"model":"m","input":[]}`, string(bodySent(t, openaimodel.Responses, request)))
	require.JSONEq(t, `{"model":"m","messages":[]}`, string(bodySent(t, openaimodel.Chat, request)))

	request.Tools, request.ToolChoice = []model.FunctionTool{{Name: "now"}}, json.RawMessage(`null`)
	require.Empty(t, field(t, bodySent(t, openaimodel.Responses, request), "tool_choice"))
	require.Empty(t, field(t, bodySent(t, openaimodel.Chat, request), "tool_choice"))
}

func TestSettingsNeverReplaceTheRequest(t *testing.T) {
	t.Parallel()
	request := model.Request{
		Model: "m", Instructions: "i", Items: items(`{"role":"user","content":"hi"}`),
		Settings: settings("model", `"other"`, "Model", `"other"`, "input", `"x"`, "messages", "[]", "tools", "[]", "instructions", `"x"`,
			"stream", "true", "STREAM", "true", "stream_options", "{}", "seed", "1"),
	}
	require.JSONEq(t, `{"model":"m","instructions":"i","input":[{"role":"user","content":"hi"}],"seed":1}`,
		string(bodySent(t, openaimodel.Responses, request)))
	require.JSONEq(t, `{"model":"m","messages":[{"role":"system","content":"i"},{"role":"user","content":"hi"}],"seed":1}`,
		string(bodySent(t, openaimodel.Chat, request)))
}

func TestSchemaIsCompletedAndNothingLost(t *testing.T) {
	t.Parallel()
	const none = `{"type":"object","properties":{}}`
	for given, want := range map[string]string{
		``: none, `null`: none, `{}`: none, ` { } `: none, `true`: none,
		`{"type":"object"}`: `{"type":"object","properties":{}}`,
		`{"properties":{"a":{"const":9007199254740993}}}`:                         `{"type":"object","properties":{"a":{"const":9007199254740993}}}`,
		`{"type":"object","properties":null,"additionalProperties":false}`:        `{"type":"object","additionalProperties":false,"properties":{}}`,
		`{"$defs":{"b":1, "a":2},"$ref":"#/$defs/a"}`:                             `{"type":"object","$defs":{"b":1, "a":2},"$ref":"#/$defs/a","properties":{}}`,
		`{ "properties": {"b":{}, "a":{}}, "type": "object", "required": ["b"] }`: `{ "properties": {"b":{}, "a":{}}, "type": "object", "required": ["b"] }`,
	} {
		request := model.Request{Model: "m", Tools: []model.FunctionTool{{Name: "f", Parameters: json.RawMessage(given)}}}
		require.Equal(t, `[{"type":"function","name":"f","parameters":`+want+`}]`,
			field(t, bodySent(t, openaimodel.Responses, request), "tools"), given)
		require.Equal(t, `[{"type":"function","function":{"name":"f","parameters":`+want+`}}]`,
			field(t, bodySent(t, openaimodel.Chat, request), "tools"), given)
	}
}

func TestRequestThatIsNotJSONIsNeverSent(t *testing.T) {
	t.Parallel()
	m := answer(t, http.StatusOK, emptyResponse)
	for want, request := range map[string]model.Request{
		"conversation item 1":           {Items: items(`{}`, `{"a":`)},
		`the parameters of tool "f"`:    {Tools: []model.FunctionTool{{Name: "f", Parameters: json.RawMessage(`{`)}}},
		"tool_choice is not":            {ToolChoice: json.RawMessage(`auto`)},
		`the request field "seed"`:      {Settings: settings("seed", "1, \"model\": 2")},
		`the request field "undefined"`: {Settings: map[string]json.RawMessage{"undefined": nil}},
	} {
		_, err := m.client(t, "").Infer(t.Context(), request)
		var failure *model.Error
		require.ErrorAs(t, err, &failure)
		require.True(t, failure.Permanent)
		require.Zero(t, failure.Status)
		require.Contains(t, failure.Message, want)
	}
	require.Empty(t, m.seen())
}

func TestAnswerKeepsConversationItemsAsTheyCame(t *testing.T) {
	t.Parallel()
	got, err := decoded(t, openaimodel.Responses, `{"status":"completed","model":"m-2026","error":null,"incomplete_details":null,"output":[
		{"type":"reasoning","id":"rs_1","summary":[],"vendor":9007199254740993},
		{"type":"web_search_call","id":"ws_1","status":"completed"}, null, 7, "x", {}, {"type":5},
		{"type":"message", "id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"<a>","annotations":[]}]},
		{"role":"assistant","content":"untyped"},
		{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":""},
		{"type":"function_call","call_id":null,"name":"f","arguments":"{\"n\":1}","extra":1}],
		"usage":{"input_tokens":5,"output_tokens":3,"total_tokens":8,"input_tokens_details":{"cached_tokens":2},"output_tokens_details":{"reasoning_tokens":1}}}`)
	require.NoError(t, err)
	require.Equal(t, []string{
		`{"type":"reasoning","id":"rs_1","summary":[],"vendor":9007199254740993}`,
		`{"type":"message", "id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"<a>","annotations":[]}]}`,
		`{"role":"assistant","content":"untyped"}`,
		`{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":""}`,
		`{"type":"function_call","call_id":null,"name":"f","arguments":"{\"n\":1}","extra":1}`,
	}, texts(got.Items))
	require.Equal(t, model.FinishCompleted, got.Finish)
	require.Equal(t, "m-2026", got.Model)
	require.Equal(t, &item.Usage{
		InputTokens: 5, OutputTokens: 3, TotalTokens: 8,
		Input: &item.InputDetails{CachedTokens: 2}, Output: &item.OutputDetails{ReasoningTokens: 1},
	}, got.Usage)
}

func TestCallWithValuesOfAnotherKindBecomesText(t *testing.T) {
	t.Parallel()
	got, err := decoded(t, openaimodel.Responses, `{"status":"completed","output":[
		{"type":"function_call","call_id":7,"name":"f","arguments":{"n": 9007199254740993},"vendor":[1, 2]}]}`)
	require.NoError(t, err)
	require.Equal(t, []string{
		`{"type":"function_call","call_id":"7","name":"f","arguments":"{\"n\":9007199254740993}","vendor":[1, 2]}`,
	}, texts(got.Items))
	require.Nil(t, got.Usage)
}

func TestStopOfAResponse(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]model.FinishReason{
		`"status":"completed"`: model.FinishCompleted,
		`"status":null`:        model.FinishCompleted,
		`"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}`: model.FinishLength,
		`"status":"incomplete","incomplete_details":{"reason":"content_filter"}`:    model.FinishFilter,
		`"status":"incomplete","incomplete_details":{"reason":"steered"}`:           model.FinishLength,
		`"status":"incomplete","incomplete_details":null`:                           model.FinishLength,
		`"status":"completed","incomplete_details":{"reason":"max_output_tokens"}`:  model.FinishLength,
		`"status":"completed","incomplete_details":{"reason":"content_filter"}`:     model.FinishFilter,
		`"status":"completed","incomplete_details":{"reason":null}`:                 model.FinishCompleted,
		`"status":"completed","incomplete_details":{}`:                              model.FinishCompleted,
	} {
		got, err := decoded(t, openaimodel.Responses, `{"output":[{"type":"function_call","call_id":"a","name":"f","arguments":"{\"p\":\"a"}],`+fields+`}`)
		require.NoError(t, err)
		require.Equal(t, want, got.Finish, fields)
		require.Len(t, got.Items, 1)
	}
}

func TestResponseThatIsNoAnswerFails(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]model.Error{
		`{"status":"failed","error":{"code":"server_error","message":"boom"},"output":[]}`:                {Code: "server_error", Message: "boom"},
		`{"status":"failed","error":{"code":"invalid_prompt","message":"no"},"output":[]}`:                {Code: "invalid_prompt", Message: "no", Permanent: true},
		`{"status":"failed","error":{"code":"invalid_image_url","message":"no"}}`:                         {Code: "invalid_image_url", Message: "no", Permanent: true},
		`{"status":"failed","error":null,"output":[]}`:                                                    {Message: "the model failed and did not say why"},
		`{"status":"completed","error":{"code":"rate_limit_exceeded","message":"slow down"},"output":[]}`: {Code: "rate_limit_exceeded", Message: "slow down"},
		`{"error":{"code":502,"message":"upstream"}}`:                                                     {Code: "502", Message: "upstream"},
		`{"error":{"code":400,"message":"upstream"}}`:                                                     {Code: "400", Message: "upstream", Permanent: true},
		`{"error":"broken"}`:                    {Message: "broken"},
		`{"status":"cancelled","output":[]}`:    {Code: "cancelled", Message: "the server cancelled the response"},
		`{"status":"completed"}`:                {Message: `the answer has neither output nor error: {"status":"completed"}`},
		`{"status":"completed","output":null}`:  {Message: `the answer has neither output nor error: {"status":"completed","output":null}`},
		`{"status":"completed","output":"hi"}`:  {Message: `the answer has neither output nor error: {"status":"completed","output":"hi"}`},
		`[]`:                                    {Message: "the answer is not a JSON object: []"},
		`null`:                                  {Message: "the answer is not a JSON object: null"},
		``:                                      {Message: "the answer is not a JSON object: (empty body)"},
		`<p>Welcome</p>`:                        {Message: "the answer is not a JSON object: Welcome"},
		"event: response.created\ndata: {}\n\n": {Message: "the answer is not a JSON object: event: response.created data: {}"},
	} {
		want.Status = http.StatusOK
		require.Equal(t, want, *refused(t, answer(t, http.StatusOK, body), ""), body)
	}
}

func TestQueuedResponseFailsForGood(t *testing.T) {
	t.Parallel()
	failure := refused(t, answer(t, http.StatusOK, `{"status":"queued","output":[]}`), "")
	require.True(t, failure.Permanent)
	require.Contains(t, failure.Message, `leave "background" out`)
}

func TestUnreadableUsageIsNone(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]*item.Usage{
		`null`: nil, `"many"`: nil, `{"input_tokens":"x"}`: nil, `[]`: nil,
		`{"input_tokens":2,"output_tokens":3}`: {InputTokens: 2, OutputTokens: 3, TotalTokens: 5},
	} {
		got, err := decoded(t, "", `{"output":[],"usage":`+usage+`}`)
		require.NoError(t, err)
		require.Equal(t, want, got.Usage, usage)
	}
}
