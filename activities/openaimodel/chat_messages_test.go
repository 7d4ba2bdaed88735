package openaimodel_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel"
)

// Items of the tables below.
const (
	callA   = `{"type":"function_call","id":"fc_1","call_id":"a","name":"f","arguments":"{\"n\":1}"}`
	callB   = `{"type":"function_call","call_id":"b","name":"g","arguments":"{}"}`
	outputA = `{"type":"function_call_output","call_id":"a","output":"one"}`
	outputB = `{"type":"function_call_output","call_id":"b","output":"two"}`
	user    = `{"role":"user","content":"hi"}`
	said    = `{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"let me see","annotations":[]}]}`
	thought = `{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]}`

	chatA     = `{"id":"a","type":"function","function":{"name":"f","arguments":"{\"n\":1}"}}`
	chatB     = `{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}`
	toolA     = `{"role":"tool","content":"one","tool_call_id":"a"}`
	toolB     = `{"role":"tool","content":"two","tool_call_id":"b"}`
	chatUser  = `{"role":"user","content":"hi"}`
	chatSaid  = `{"role":"assistant","content":"let me see"}`
	chatCalls = `{"role":"assistant","content":null,"tool_calls":`
)

func TestConversationBecomesChatMessages(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		items []string
		want  string
	}{
		"nothing":             {nil, ``},
		"adjacent calls":      {[]string{user, callA, callB, outputA, outputB}, chatUser + `,` + chatCalls + `[` + chatA + `,` + chatB + `]},` + toolA + `,` + toolB},
		"outputs out of turn": {[]string{callA, callB, outputB, outputA}, chatCalls + `[` + chatA + `,` + chatB + `]},` + toolA + `,` + toolB},
		"message, then calls": {[]string{said, callA, callB, outputA, outputB}, `{"role":"assistant","content":"let me see","tool_calls":[` + chatA + `,` + chatB + `]},` + toolA + `,` + toolB},
		"call, then message":  {[]string{callA, said, outputA}, `{"role":"assistant","content":"let me see","tool_calls":[` + chatA + `]},` + toolA},
		"message in between":  {[]string{callA, said, callB, outputA, said, outputB}, `{"role":"assistant","content":"let me see\n\nlet me see","tool_calls":[` + chatA + `,` + chatB + `]},` + toolA + `,` + toolB},
		"two rounds":          {[]string{callA, outputA, callB, outputB}, chatCalls + `[` + chatA + `]},` + toolA + `,` + chatCalls + `[` + chatB + `]},` + toolB},
		"one id, two rounds":  {[]string{callA, outputA, callA, outputA}, chatCalls + `[` + chatA + `]},` + toolA + `,` + chatCalls + `[` + chatA + `]},` + toolA},
		"one id, one round":   {[]string{callA, callA, outputA, `{"type":"function_call_output","call_id":"a","output":"two"}`}, chatCalls + `[` + chatA + `,` + chatA + `]},` + toolA + `,{"role":"tool","content":"two","tool_call_id":"a"}`},
		"reasoning":           {[]string{thought, callA, thought, callB, outputA, outputB}, chatCalls + `[` + chatA + `,` + chatB + `]},` + toolA + `,` + toolB},
		"user before output":  {[]string{callA, user, outputA, said}, chatCalls + `[` + chatA + `]},` + toolA + `,` + chatUser + `,` + chatSaid},
		"user between calls":  {[]string{callA, user, callB, outputA, outputB}, chatCalls + `[` + chatA + `]},` + toolA + `,` + chatUser + `,` + chatCalls + `[` + chatB + `]},` + toolB},
		"answer, then user":   {[]string{user, said, user, said, said}, chatUser + `,` + chatSaid + `,` + chatUser + `,` + chatSaid + `,` + chatSaid},
		"call after output":   {[]string{callA, callA, outputA, callB, outputB, outputA}, chatCalls + `[` + chatA + `,` + chatA + `]},` + toolA + `,` + toolA + `,` + chatCalls + `[` + chatB + `]},` + toolB},
		"call without output": {[]string{callA, user}, chatCalls + `[` + chatA + `]},` + chatUser},
		"output without call": {[]string{user, outputA}, chatUser + `,` + toolA},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := bodySent(t, openaimodel.Chat, model.Request{Model: "m", Items: items(test.items...)})
			require.Equal(t, `[`+test.want+`]`, field(t, body, "messages"))
		})
	}
}

func TestMessageItemBecomesAChatMessage(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"type":"message","role":"developer","content":"d"}`:                                                  `{"role":"system","content":"d"}`,
		`{"role":"system","content":[{"type":"input_text","text":"s"}]}`:                                       `{"role":"system","content":"s"}`,
		`{"role":"user","content":[]}`:                                                                         `{"role":"user","content":""}`,
		`{"role":"user","content":null}`:                                                                       `{"role":"user","content":""}`,
		`{"role":"user","content":[{"type":"input_text","text":"<a>"},{"type":"text","text":"b"}]}`:            `{"role":"user","content":[{"type":"text","text":"<a>"},{"type":"text","text":"b"}]}`,
		`{"role":"user","content":[{"type":"input_image","image_url":"data:,x","detail":"low"}]}`:              `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,x","detail":"low"}}]}`,
		`{"role":"user","content":[{"type":"input_image","image_url":"u","detail":null,"file_id":null}]}`:      `{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]}`,
		`{"role":"user","content":[{"type":"input_file","filename":"a.pdf","file_data":"data:,x"}]}`:           `{"role":"user","content":[{"type":"file","file":{"file_data":"data:,x","filename":"a.pdf"}}]}`,
		`{"role":"user","content":[{"type":"input_file","file_id":"file_1"}]}`:                                 `{"role":"user","content":[{"type":"file","file":{"file_id":"file_1"}}]}`,
		`{"role":"user","content":[{"type":"video_url","video_url":{"url":"u","fps":9007199254740993}}]}`:      `{"role":"user","content":[{"type":"video_url","video_url":{"url":"u","fps":9007199254740993}}]}`,
		`{"role":"assistant","content":"plain"}`:                                                               `{"role":"assistant","content":"plain"}`,
		`{"role":"assistant","content":[]}`:                                                                    `{"role":"assistant","content":""}`,
		`{"role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}`: `{"role":"assistant","content":"ab"}`,
		`{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}`:                                   `{"role":"assistant","content":"no"}`,
	} {
		body := bodySent(t, openaimodel.Chat, model.Request{Model: "m", Items: items(given)})
		require.Equal(t, `[`+want+`]`, field(t, body, "messages"), given)
	}
}

func TestInstructionsComeFirst(t *testing.T) {
	t.Parallel()
	body := bodySent(t, openaimodel.Chat, model.Request{Model: "m", Instructions: "be brief", Items: items(user)})
	require.Equal(t, `{"model":"m","messages":[{"role":"system","content":"be brief"},`+chatUser+`]}`, string(body))
}

func TestReplayedArgumentsAreAlwaysJSON(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		``: `{}`, `,"arguments":""`: `{}`, `,"arguments":" \n"`: `{}`, `,"arguments":null`: `{}`, `,"arguments":"null"`: `{}`,
		`,"arguments":{"q": "x", "n":9007199254740993}`: `{\"q\":\"x\",\"n\":9007199254740993}`,
		`,"arguments":"{\"path\":\"a"`:                  `{}`,
		`,"arguments":"[1]"`:                            `[1]`,
	} {
		body := bodySent(t, openaimodel.Chat, model.Request{
			Model: "m", Items: items(`{"type":"function_call","call_id":"a","name":"f"` + arguments + `}`),
		})
		require.Equal(t, `[`+chatCalls+`[{"id":"a","type":"function","function":{"name":"f","arguments":"`+want+`"}}]}]`,
			field(t, body, "messages"), arguments)
	}
}

func TestOutputIsSplitIntoTextAndAttachments(t *testing.T) {
	t.Parallel()
	const image = `{"type":"input_image","image_url":"data:,x"}`
	const chatImage = `{"type":"image_url","image_url":{"url":"data:,x"}}`
	output := func(id, value string) string {
		return `{"type":"function_call_output","call_id":"` + id + `","output":` + value + `}`
	}
	attached := func(id, part string) string {
		return `{"type":"text","text":"Attached to the output of call ` + id + `:"},` + part
	}
	calls := chatCalls + `[` + chatA + `,` + chatB + `]},`
	tests := map[string]struct{ a, b, want string }{
		"strings":        {`"[\"stays\"]"`, `""`, `{"role":"tool","content":"[\"stays\"]","tool_call_id":"a"},{"role":"tool","content":"","tool_call_id":"b"}`},
		"text parts":     {`[{"type":"input_text","text":"x"},{"type":"output_text","text":"y"}]`, `"two"`, `{"role":"tool","content":"x\ny","tool_call_id":"a"},` + toolB},
		"no parts":       {`[]`, `null`, `{"role":"tool","content":"","tool_call_id":"a"},{"role":"tool","content":"","tool_call_id":"b"}`},
		"other JSON":     {`{"n": 9007199254740993}`, `7`, `{"role":"tool","content":"{\"n\": 9007199254740993}","tool_call_id":"a"},{"role":"tool","content":"7","tool_call_id":"b"}`},
		"an image":       {`[{"type":"input_text","text":"x"},` + image + `]`, `"two"`, `{"role":"tool","content":"x","tool_call_id":"a"},` + toolB + `,{"role":"user","content":[` + attached("a", chatImage) + `]}`},
		"only images":    {`[` + image + `,` + image + `]`, `[` + image + `]`, `{"role":"tool","content":"(see the next message)","tool_call_id":"a"},{"role":"tool","content":"(see the next message)","tool_call_id":"b"},{"role":"user","content":[` + attached("a", chatImage+`,`+chatImage) + `,` + attached("b", chatImage) + `]}`},
		"a vendor's own": {`[{"type":"audio","x":1}]`, `"two"`, `{"role":"tool","content":"(see the next message)","tool_call_id":"a"},` + toolB + `,{"role":"user","content":[` + attached("a", `{"type":"audio","x":1}`) + `]}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := bodySent(t, openaimodel.Chat, model.Request{
				Model: "m", Items: items(callA, callB, output("a", test.a), output("b", test.b), user),
			})
			require.Equal(t, `[`+calls+test.want+`,`+chatUser+`]`, field(t, body, "messages"))
		})
	}
	body := bodySent(t, openaimodel.Chat, model.Request{Model: "m", Items: items(output("a", `[`+image+`]`))})
	require.Equal(t, `[{"role":"tool","content":"(see the next message)","tool_call_id":"a"},{"role":"user","content":[`+attached("a", chatImage)+`]}]`,
		field(t, body, "messages"))
}

// Leaving a piece of the conversation out in silence would change the answer.
func TestItemWithoutChatFormFailsForGood(t *testing.T) {
	t.Parallel()
	m := answer(t, http.StatusOK, emptyChat)
	for given, want := range map[string]string{
		`{"type":"item_reference","id":"x"}`:   `an item of type "item_reference"`,
		`{"x":1}`:                              `an item of type ""`,
		`7`:                                    "cannot unmarshal number",
		`{"type":"function_call","call_id":5}`: "call_id",
		`{"role":"user","content":7}`:          "neither a string nor a list",
		`{"role":"user","content":[7]}`:        "cannot unmarshal number",
		`{"role":"user","content":[{"type":"input_text","text":7}]}`:                     "text",
		`{"role":"user","content":[{"type":"input_image","file_id":"f"}]}`:               "input_image without image_url",
		`{"role":"user","content":[{"type":"input_file","file_url":"u"}]}`:               "input_file without file_id or file_data",
		`{"role":"assistant","content":7}`:                                               "neither a string nor a list",
		`{"role":"assistant","content":[7]}`:                                             "cannot unmarshal number",
		`{"role":"assistant","content":[{"type":"function_call","name":"f"}]}`:           `a part of type "function_call"`,
		`{"type":"function_call_output","call_id":"a","output":[{"type":"input_file"}]}`: "input_file without",
	} {
		_, err := m.client(t, openaimodel.Chat).Infer(t.Context(), model.Request{Model: "m", Items: items(user, given)})
		var failure *model.Error
		require.ErrorAs(t, err, &failure, given)
		require.True(t, failure.Permanent)
		require.Contains(t, failure.Message, "conversation item 1: ")
		require.Contains(t, failure.Message, want)
	}
	require.Empty(t, m.seen())
}
