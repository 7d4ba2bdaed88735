package openaimodel_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel"
	"errand/tools/item"
)

func chatReply(message, finish string) string {
	return `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":` + message + `,"finish_reason":` + finish + `}]}`
}

func TestChatMessageBecomesItems(t *testing.T) {
	t.Parallel()
	const text = `{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"hi","annotations":[]}]}`
	const refusal = `{"type":"message","role":"assistant","status":"completed","content":[{"type":"refusal","refusal":"no"}]}`
	const reasoning = `{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}],"status":"completed"}`
	call := func(id, name, arguments string) string {
		return `{"type":"function_call","call_id":"` + id + `","name":"` + name + `","arguments":"` + arguments + `","status":"completed"}`
	}
	tests := map[string]struct {
		message string
		want    []string
	}{
		"text":                 {`{"role":"assistant","content":"hi","refusal":null,"tool_calls":null,"function_call":null}`, []string{text}},
		"text parts":           {`{"content":[{"type":"text","text":"h"},{"type":"thinking","thinking":"x"},7,{"type":"text","text":"i"}]}`, []string{text}},
		"refusal":              {`{"content":null,"refusal":"no"}`, []string{refusal}},
		"refusal part":         {`{"content":[{"type":"refusal","refusal":"no"}]}`, []string{refusal}},
		"reasoning_content":    {`{"content":"hi","reasoning_content":"hm","reasoning":"hm"}`, []string{reasoning, text}},
		"reasoning":            {`{"content":"hi","reasoning":"hm","reasoning_content":null}`, []string{reasoning, text}},
		"nothing":              {`{"role":"assistant","content":null}`, []string{}},
		"empty calls":          {`{"content":"hi","tool_calls":[]}`, []string{text}},
		"several calls":        {`{"content":null,"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"write_file","arguments":"{\"p\":1}"}},{"index":0,"id":"b","function":{"name":"write_file","arguments":"{\"p\":2}"}}]}`, []string{call("a", "write_file", `{\"p\":1}`), call("b", "write_file", `{\"p\":2}`)}},
		"text, calls":          {`{"content":"hi","reasoning":"hm","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}`, []string{reasoning, text, call("a", "f", `{}`)}},
		"blank arguments":      {`{"tool_calls":[{"id":"a","function":{"name":"now","arguments":""}},{"id":"b","function":{"name":"now","arguments":" \n"}},{"id":"c","function":{"name":"now","arguments":null}},{"id":"d","function":{"name":"now"}}]}`, []string{call("a", "now", `{}`), call("b", "now", `{}`), call("c", "now", `{}`), call("d", "now", `{}`)}},
		"object arguments":     {`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"q": "<x>", "n":9007199254740993}}}]}`, []string{call("a", "f", `{\"q\":\"<x>\",\"n\":9007199254740993}`)}},
		"bad arguments":        {`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"path\":\"a"}}]}`, []string{call("a", "f", `{\"path\":\"a`)}},
		"ids that are none":    {`{"tool_calls":[{"id":null,"function":{"name":"f","arguments":"{}"}},{"function":{"name":null,"arguments":"{}"}},{"id":7,"function":null},{"id":{}},null]}`, []string{call("", "f", `{}`), call("", "", `{}`), call("7", "", `{}`), call("", "", `{}`)}},
		"legacy call":          {`{"content":null,"function_call":{"name":"f","arguments":"{\"a\":1}"}}`, []string{call("", "f", `{\"a\":1}`)}},
		"legacy, with calls":   {`{"function_call":{"name":"f"},"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}`, []string{call("a", "f", `{}`)}},
		"content of an object": {`{"content":{"x":1}}`, []string{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The content decides, whatever reason is given for its end.
			for _, finish := range []string{`"stop"`, `"tool_calls"`, `"function_call"`, `null`, `7`} {
				got, err := decoded(t, openaimodel.Chat, chatReply(test.message, finish))
				require.NoError(t, err)
				require.Equal(t, test.want, texts(got.Items))
				require.Equal(t, model.FinishCompleted, got.Finish)
				require.Equal(t, "m", got.Model)
				require.Nil(t, got.Usage)
			}
		})
	}
}

func TestCutChatAnswerSaysSo(t *testing.T) {
	t.Parallel()
	for finish, want := range map[string]model.FinishReason{
		`"length"`: model.FinishLength, `"model_length"`: model.FinishLength, `"content_filter"`: model.FinishFilter,
	} {
		got, err := decoded(t, openaimodel.Chat, chatReply(`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"path\":\"a"}}]}`, finish))
		require.NoError(t, err)
		require.Equal(t, want, got.Finish)
		require.Len(t, got.Items, 1)
	}
}

func TestChatUsageIsMapped(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]*item.Usage{
		`null`: nil, `"x"`: nil,
		`{"prompt_tokens":5,"completion_tokens":3}`: {InputTokens: 5, OutputTokens: 3, TotalTokens: 8},
		`{"prompt_tokens":5,"completion_tokens":3,"total_tokens":9,"prompt_tokens_details":{"cached_tokens":2,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":1}}`: {
			InputTokens: 5, OutputTokens: 3, TotalTokens: 9, Input: &item.InputDetails{CachedTokens: 2}, Output: &item.OutputDetails{ReasoningTokens: 1},
		},
		`{"prompt_tokens":5,"completion_tokens":3,"total_tokens":8,"prompt_tokens_details":null,"completion_tokens_details":null}`: {InputTokens: 5, OutputTokens: 3, TotalTokens: 8},
	} {
		got, err := decoded(t, openaimodel.Chat, `{"choices":[{"message":{"content":"hi"}}],"usage":`+usage+`}`)
		require.NoError(t, err)
		require.Equal(t, want, got.Usage, usage)
	}
}

func TestChatReplyThatIsNoAnswerFails(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]model.Error{
		`{"error":{"code":502,"message":"upstream"}}`:                          {Code: "502", Message: "upstream"},
		`{"error":{"code":429,"message":"slow down"},"choices":[]}`:            {Code: "429", Message: "slow down"},
		`{"error":{"code":"context_length_exceeded","message":"too long"}}`:    {Code: "context_length_exceeded", Message: "too long", Permanent: true},
		`{"choices":[{"error":{"code":500,"message":"cut"},"message":{}}]}`:    {Code: "500", Message: "cut"},
		`{"choices":[{"finish_reason":"error","message":{"content":"half"}}]}`: {Message: "the model failed and did not say why"},
		`{"choices":[]}`:                                      {Message: `the answer has neither choices nor error: {"choices":[]}`},
		`{"choices":null,"error":{}}`:                         {Message: `the answer has neither choices nor error: {"choices":null,"error":{}}`},
		`{"choices":[null]}`:                                  {Message: `the answer has a choice without a message: {"choices":[null]}`},
		`{"choices":[{"delta":{}}]}`:                          {Message: `the answer has a choice without a message: {"choices":[{"delta":{}}]}`},
		`{"choices":[{"message":"x"}]}`:                       {Message: `the answer has neither choices nor error: {"choices":[{"message":"x"}]}`},
		`{"choices":[{"message":{"tool_calls":{"id":"a"}}}]}`: {Message: `the answer's tool_calls are not a list of objects: {"choices":[{"message":{"tool_calls":{"id":"a"}}}]}`},
		`{"choices":[{"message":{"function_call":"f"}}]}`:     {Message: `the answer's tool_calls are not a list of objects: {"choices":[{"message":{"function_call":"f"}}]}`},
		`data: {"choices":[]}`:                                {Message: `the answer is not a JSON object: data: {"choices":[]}`},
		``:                                                    {Message: "the answer is not a JSON object: (empty body)"},
	} {
		want.Status = http.StatusOK
		require.Equal(t, want, *refused(t, answer(t, http.StatusOK, body), openaimodel.Chat), body)
	}
}

func TestRateLimitIsReadInChatToo(t *testing.T) {
	t.Parallel()
	m := answer(t, http.StatusTooManyRequests, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, "Retry-After", "3")
	failure := refused(t, m, openaimodel.Chat)
	require.False(t, failure.Permanent)
	require.Equal(t, "model answered 429 (rate_limit_exceeded): slow down", failure.Error())
	require.Equal(t, "3s", failure.RetryAfter.String())
}
