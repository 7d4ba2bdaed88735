package openaimodel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel"
	"errand/tools/item"
)

func TestChatDeltasBecomeItems(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		deltas []string
		want   []string
		// whole is the same answer unstreamed, where there is such a thing.
		whole string
	}{
		"text": {
			[]string{`{"role":"assistant","content":""}`, `{"content":"h"}`, `{"content":null}`, `{}`, `{"content":"i"}`},
			[]string{textItem("hi")},
			`{"role":"assistant","content":"hi"}`,
		},
		"nothing": {[]string{`{"role":"assistant","content":null}`, `null`}, []string{}, `{"content":null}`},
		"text parts": {
			[]string{`{"content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"h"}]}`, `{"content":[{"type":"text","text":"i"},7]}`},
			[]string{textItem("hi")},
			`{"content":[{"type":"text","text":"h"},{"type":"text","text":"i"}]}`,
		},
		"refusal part":             {[]string{`{"content":[{"type":"refusal","refusal":"n"}]}`, `{"refusal":"o"}`}, []string{refusalItem("no")}, `{"refusal":"no"}`},
		"refusal":                  {[]string{`{"content":"","refusal":"n"}`, `{"refusal":"o"}`}, []string{refusalItem("no")}, `{"content":null,"refusal":"no"}`},
		"text parted in a char":    {[]string{`{"content":"\ud83d"}`, `{"content":"\ude00"}`, "{\"content\":\"\xc3\"}", "{\"content\":\"\xa4\"}"}, []string{textItem("😀ä")}, `{"content":"😀ä"}`},
		"text of escapes":          {[]string{`{"content":"<a>\n"}`, `{"content":"\"&\\"}`}, []string{textItem(`<a>\n\"&\\`)}, `{"content":"<a>\n\"&\\"}`},
		"reasoning_content":        {[]string{`{"reasoning_content":"h"}`, `{"reasoning_content":"m","content":""}`, `{"content":"hi","reasoning_content":null}`}, []string{thoughtItem("hm"), textItem("hi")}, `{"content":"hi","reasoning_content":"hm"}`},
		"reasoning":                {[]string{`{"reasoning":"h"}`, `{"reasoning":"m"}`, `{"content":"hi"}`}, []string{thoughtItem("hm"), textItem("hi")}, `{"content":"hi","reasoning":"hm"}`},
		"reasoning under both":     {[]string{`{"reasoning":"h","reasoning_content":"h"}`, `{"reasoning":"m","reasoning_content":"m"}`}, []string{thoughtItem("hm")}, `{"reasoning":"hm","reasoning_content":"hm"}`},
		"reasoning after the text": {[]string{`{"content":"hi"}`, `{"reasoning":"hm"}`}, []string{thoughtItem("hm"), textItem("hi")}, `{"content":"hi","reasoning":"hm"}`},
		"a call": {
			[]string{`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"{\"n\""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`},
			[]string{call("a", "f", `{"n":1}`)},
			`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"n\":1}"}}]}`,
		},
		"several in one delta": {
			[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}},null,{"index":1,"id":"b","function":{"name":"g","arguments":"{"}},{"index":1,"function":{"arguments":"}"}}]}`},
			[]string{call("a", "f", `{}`), call("b", "g", `{}`)},
			`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]}`,
		},
		"interleaved": {
			[]string{`{"content":"l","tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"n\":"}}]}`, `{"tool_calls":[{"index":1,"id":"b","function":{"name":"f","arguments":"{\"n\":"}}]}`, `{"content":"o"}`, `{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}],"content":"ok"}`, `{"tool_calls":[{"index":1,"function":{"arguments":"2}"}}]}`},
			[]string{textItem("look"), call("a", "f", `{"n":1}`), call("b", "f", `{"n":2}`)},
			`{"content":"look","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"n\":1}"}},{"id":"b","function":{"name":"f","arguments":"{\"n\":2}"}}]}`,
		},
		"an index used twice": {
			[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"write_file","arguments":"{\"p\":1}"}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"name":"write_file","arguments":"{\"p\":"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"2}"}}]}`},
			[]string{call("a", "write_file", `{"p":1}`), call("b", "write_file", `{"p":2}`)},
			`{"tool_calls":[{"id":"a","function":{"name":"write_file","arguments":"{\"p\":1}"}},{"id":"b","function":{"name":"write_file","arguments":"{\"p\":2}"}}]}`,
		},
		"an index used twice, by turns": {
			[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"p\":"}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"name":"f","arguments":"{\"p\":"}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"1}"}}]}`, `{"tool_calls":[{"index":0,"id":"b","function":{"arguments":"2}"}}]}`},
			[]string{call("a", "f", `{"p":1}`), call("b", "f", `{"p":2}`)},
			"",
		},
		"id and name repeated": {
			[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"}"}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"}}]}`},
			[]string{call("a", "f", `{}`)},
			"",
		},
		"id and name empty later": {
			[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":"","function":{"name":"","arguments":"}"}}]}`, `{"tool_calls":[{"index":0,"id":null,"function":{"name":null,"arguments":null}}]}`, `{"tool_calls":[{"index":0,"id":null,"function":null}]}`},
			[]string{call("a", "f", `{}`)},
			"",
		},
		"id late":     {[]string{`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"}"}}]}`}, []string{call("a", "f", `{}`)}, ""},
		"id missing":  {[]string{`{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":null,"function":{"arguments":"}"}}]}`}, []string{call("", "f", `{}`)}, `{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`},
		"id a number": {[]string{`{"tool_calls":[{"index":"0","id":7,"function":{"name":"f"}}]}`, `{"tool_calls":[{"index":"0","id":7,"function":{"arguments":"{}"}}]}`}, []string{call("7", "f", `{}`)}, `{"tool_calls":[{"id":7,"function":{"name":"f","arguments":"{}"}}]}`},
		// The caller tells it from one of another turn.
		"id of the server's own making": {[]string{`{"tool_calls":[{"index":0,"id":"ls:0","function":{"name":"ls","arguments":"{}"}}]}`}, []string{call("ls:0", "ls", `{}`)}, `{"tool_calls":[{"id":"ls:0","function":{"name":"ls","arguments":"{}"}}]}`},
		"no index, ids": {
			[]string{`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"n\":"}}]}`, `{"tool_calls":[{"function":{"arguments":"1}"}}]}`, `{"tool_calls":[{"index":null,"id":"b","function":{"name":"f","arguments":"{\"n\":"}}]}`, `{"tool_calls":[{"id":"b","function":{"name":"f","arguments":"2}"}}]}`},
			[]string{call("a", "f", `{"n":1}`), call("b", "f", `{"n":2}`)},
			"",
		},
		"no index, names": {
			[]string{`{"tool_calls":[{"function":{"name":"f","arguments":"{"}}]}`, `{"tool_calls":[{"id":"","function":{"name":"","arguments":"}"}}]}`, `{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`},
			[]string{call("", "f", `{}`), call("", "f", `{}`)},
			"",
		},
		"empty lists of calls": {[]string{`{"tool_calls":[]}`, `{"content":"hi","tool_calls":[]}`, `{"tool_calls":null}`, `{"tool_calls":[null]}`}, []string{textItem("hi")}, `{"content":"hi","tool_calls":[]}`},
		"blank arguments": {
			[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"now","arguments":""}},{"index":1,"id":"b","function":{"name":"now"}},{"index":2,"id":"c","function":{"name":"now","arguments":" "}},{"index":3,"id":"d","function":{"name":"now","arguments":null}}]}`, `{"tool_calls":[{"index":2,"function":{"arguments":"\n"}}]}`},
			[]string{call("a", "now", `{}`), call("b", "now", `{}`), call("c", "now", `{}`), call("d", "now", `{}`)},
			"",
		},
		"object arguments": {
			[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":{"q": "<x>", "n":9007199254740993}}}]}`},
			[]string{call("a", "f", `{"q":"<x>","n":9007199254740993}`)},
			`{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"q": "<x>", "n":9007199254740993}}}]}`,
		},
		"arguments that are not JSON": {[]string{`{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":":\"a"}}]}`}, []string{call("a", "f", `{"path":"a`)}, `{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{\"path\":\"a"}}]}`},
		"legacy call":                 {[]string{`{"function_call":{"name":"f","arguments":""}}`, `{"function_call":{"name":"f","arguments":"{\"a\""}}`, `{"function_call":{"arguments":":1}"}}`, `{"function_call":null}`}, []string{call("", "f", `{"a":1}`)}, `{"function_call":{"name":"f","arguments":"{\"a\":1}"}}`},
		"legacy, with calls":          {[]string{`{"function_call":{"name":"f"}}`, `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}`}, []string{call("a", "f", `{}`)}, `{"function_call":{"name":"f"},"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The content decides, whatever reason is given for its end.
			for _, finish := range []string{`"stop"`, `"tool_calls"`, `"function_call"`} {
				got, err := streamed(t, openaimodel.Chat, chatStream(finish, test.deltas...))
				require.NoError(t, err)
				require.Equal(t, model.Answer{
					Items: items(test.want...), Finish: model.FinishCompleted, Model: "m",
					Usage: &item.Usage{InputTokens: 5, OutputTokens: 3, TotalTokens: 8},
				}, got)
				if test.whole != "" {
					whole, err := decoded(t, openaimodel.Chat, chatReply(test.whole, finish))
					require.NoError(t, err)
					require.Equal(t, texts(whole.Items), texts(got.Items))
				}
			}
		})
	}
}

func TestCutChatStreamSaysSo(t *testing.T) {
	t.Parallel()
	const half = `{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\"path\":\"a"}}]}`
	for finish, want := range map[string]model.FinishReason{
		`"length"`: model.FinishLength, `"model_length"`: model.FinishLength, `"content_filter"`: model.FinishFilter,
	} {
		// Servers that repeat the finish may do so with another reason.
		for _, body := range []string{chatStream(finish, half), frames(chunk(half), ending(finish), ending(`"stop"`)) + done} {
			got, err := streamed(t, openaimodel.Chat, body)
			require.NoError(t, err)
			require.Equal(t, want, got.Finish)
			require.Equal(t, []string{call("a", "f", `{"path":"a`)}, texts(got.Items))
		}
	}
}

func TestEndOfAChatStream(t *testing.T) {
	t.Parallel()
	hi := chunk(`{"content":"hi"}`)
	for _, body := range []string{
		frames(hi, ending(`"stop"`)) + done,
		frames(hi, ending(`"stop"`)),
		frames(hi) + done,
		frames(hi) + "data:[DONE] \n\n" + frames(chunk(`{"content":"ignored"}`)),
		frames(hi, `{"choices":[{"delta":{},"finish_reason":""}]}`, ending(`"stop"`)),
		frames(`{"choices":[],"prompt_filter_results":[]}`, `null`, `7`, `[]`, `{}`, hi, `{"choices":[null]}`) + done,
		frames(hi, `{"choices":[{"index":1,"delta":{"content":"other"},"finish_reason":"length"}]}`) + done,
		frames(`{"model":"m","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`) + done,
		frames(hi, `{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`) + done,
		": waiting\n\nevent: message\n" + frames(hi) + ": waiting\n\n" + done,
		"data: " + chunk(`{"content":"hi"}`) + "\r\n\r\ndata: [DONE]",
		"data: {\"model\":\"m\",\"choices\":\ndata: [{\"delta\":{\"content\":\"hi\"}}]}\n\n" + done,
	} {
		got, err := streamed(t, openaimodel.Chat, body)
		require.NoError(t, err, body)
		require.Equal(t, model.Answer{Items: items(textItem("hi")), Finish: model.FinishCompleted, Model: "m"}, got, body)
	}
	for _, body := range []string{
		"", ": waiting\n\n", frames(hi), frames(hi, chatUsage), frames(hi) + "data: [DON", frames(hi) + `data: {"choices":[{"finish_`,
	} {
		unfinished(t, openaimodel.Chat, body)
	}
}

func TestChatStreamUsage(t *testing.T) {
	t.Parallel()
	for chunks, want := range map[string]*item.Usage{
		frames(ending(`"stop"`)):            nil,
		frames(ending(`"stop"`), chatUsage): {InputTokens: 5, OutputTokens: 3, TotalTokens: 8},
		frames(chatUsage, ending(`"stop"`)): {InputTokens: 5, OutputTokens: 3, TotalTokens: 8},
		// A running total; the last one counts.
		frames(`{"choices":[{"delta":{}}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`,
			`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`): {InputTokens: 5, OutputTokens: 2, TotalTokens: 7},
		frames(`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":"many"}`): nil,
	} {
		got, err := streamed(t, openaimodel.Chat, frames(chunk(`{"content":"hi"}`))+chunks+done)
		require.NoError(t, err)
		require.Equal(t, want, got.Usage, chunks)
	}
}

func TestChatStreamThatIsNoAnswerFails(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]model.Error{
		frames(chunk(`{"content":"h"}`), `{"error":{"code":429,"message":"slow down"}}`) + done:                          {Code: "429", Message: "slow down"},
		frames(`{"error":{"code":"context_length_exceeded","message":"too long"}}`):                                      {Code: "context_length_exceeded", Message: "too long", Permanent: true},
		frames(`{"object":"error","message":"bad","type":"BadRequestError","code":400}`):                                 {Code: "400", Message: "bad", Permanent: true},
		frames(`{"error":"boom","choices":[]}`):                                                                          {Message: "boom"},
		"event: error\n" + frames(`{"message":"boom","code":"c"}`):                                                       {Code: "c", Message: "boom"},
		frames(chunk(`{"content":"h"}`), `{"choices":[{"error":{"code":502,"message":"cut"},"finish_reason":"error"}]}`): {Code: "502", Message: "cut"},
		frames(chunk(`{"content":"h"}`), ending(`"error"`)) + done:                                                       {Message: "the model failed and did not say why"},
		done:                                        {Message: "the stream has neither choices nor error: [DONE]"},
		frames(chatUsage) + "data: [DONE]":          {Message: "the stream has neither choices nor error: [DONE]"},
		frames(`{"choices":`, ending(`"stop"`)):     {Message: `the stream has an event that is not JSON: {"choices":`},
		frames(`{"choices":"x"}`, ending(`"stop"`)): {Message: `a chunk's choices cannot be read: {"choices":"x"}`},
		frames(`{"choices":[{"delta":{"tool_calls":{"id":"a"}}}]}`): {Message: `a chunk's tool_calls are not a list of objects: {"choices":[{"delta":{"tool_calls":{"id":"a"}}}]}`},
		frames(`{"choices":[{"delta":{"function_call":"f"}}]}`):     {Message: `a chunk's function_call is not an object: {"choices":[{"delta":{"function_call":"f"}}]}`},
	} {
		want.Status = 200
		require.Equal(t, want, failed(t, openaimodel.Chat, body), body)
	}
}

// A call without a name is one that no tool answers, as it is in an answer that
// comes whole: the model is told so, and the rest of its answer stands.
func TestNamelessCallOfAStreamIsKept(t *testing.T) {
	t.Parallel()
	for _, finish := range []string{`"length"`, `"tool_calls"`, `"stop"`} {
		got, err := streamed(t, openaimodel.Chat, chatStream(finish, `{"content":"hi"}`, `{"tool_calls":[{"index":0,"id":"a"}]}`))
		require.NoError(t, err)
		require.Equal(t, []string{textItem("hi"), call("a", "", `{}`)}, texts(got.Items))
	}
}
