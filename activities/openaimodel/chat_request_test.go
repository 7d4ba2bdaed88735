package openaimodel_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel"
)

func TestChatRequestIsWrittenWhole(t *testing.T) {
	t.Parallel()
	strict, parallel := true, false
	body := bodySent(t, openaimodel.Chat, model.Request{
		Model: "m", Items: items(user),
		Tools: []model.FunctionTool{{
			Name: "ask", Description: "asks", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"maximum":9007199254740993}}}`), Strict: &strict,
		}},
		ToolChoice: json.RawMessage(`"required"`), ParallelToolCalls: &parallel,
		Settings: settings("temperature", "0.20", "vendor_key", `{"big":9007199254740993}`),
	})
	require.Equal(t, `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":`+
		`{"name":"ask","description":"asks","parameters":{"type":"object","properties":{"n":{"maximum":9007199254740993}}},"strict":true}}],`+
		`"tool_choice":"required","parallel_tool_calls":false,"temperature":0.20,"vendor_key":{"big":9007199254740993}}`, string(body))
}

func TestToolChoiceTakesItsChatForm(t *testing.T) {
	t.Parallel()
	const f, g = `{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}`,
		`{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{}}}}`
	tests := map[string]struct{ choice, tools, want string }{
		"none given":        {``, `[` + f + `,` + g + `]`, ``},
		"null":              {`null`, `[` + f + `,` + g + `]`, ``},
		"none":              {`"none"`, `[` + f + `,` + g + `]`, `"none"`},
		"auto":              {`"auto"`, `[` + f + `,` + g + `]`, `"auto"`},
		"required":          {`"required"`, `[` + f + `,` + g + `]`, `"required"`},
		"a function":        {`{"type":"function","name":"g"}`, `[` + f + `,` + g + `]`, `{"type":"function","function":{"name":"g"}}`},
		"allowed, auto":     {`{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"g"}]}`, `[` + g + `]`, `"auto"`},
		"allowed, required": {`{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"g"},{"type":"function","name":"f"}]}`, `[` + f + `,` + g + `]`, `"required"`},
		"allowed, no mode":  {`{"type":"allowed_tools","tools":[{"type":"function","name":"f"}]}`, `[` + f + `]`, ``},
		"none allowed":      {`{"type":"allowed_tools","mode":"auto","tools":[]}`, ``, ``},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := bodySent(t, openaimodel.Chat, model.Request{
				Model: "m", Tools: []model.FunctionTool{{Name: "f"}, {Name: "g"}}, ToolChoice: json.RawMessage(test.choice),
			})
			require.Equal(t, test.tools, field(t, body, "tools"))
			require.Equal(t, test.want, field(t, body, "tool_choice"))
		})
	}
}

func TestToolChoiceWithoutChatFormFailsForGood(t *testing.T) {
	t.Parallel()
	m := answer(t, http.StatusOK, emptyChat)
	for _, choice := range []string{
		`{"type":"mcp","server_label":"s"}`, `{"type":"function"}`, `7`, `[]`,
		`{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"absent"}]}`,
	} {
		_, err := m.client(t, openaimodel.Chat).Infer(t.Context(), model.Request{
			Model: "m", Tools: []model.FunctionTool{{Name: "f"}}, ToolChoice: json.RawMessage(choice),
		})
		var failure *model.Error
		require.ErrorAs(t, err, &failure, choice)
		require.True(t, failure.Permanent)
		require.Contains(t, failure.Message, "tool_choice")
	}
	require.Empty(t, m.seen())
}

func TestSettingsTakeTheirChatNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		given map[string]json.RawMessage
		want  string
	}{
		"limit":            {settings("max_output_tokens", "200"), `,"max_completion_tokens":200`},
		"limit, null":      {settings("max_output_tokens", "null"), ``},
		"limit in chat":    {settings("max_output_tokens", "200", "max_completion_tokens", "100"), `,"max_completion_tokens":100`},
		"old limit":        {settings("max_tokens", "100"), `,"max_tokens":100`},
		"schema":           {settings("text", `{"format":{"type":"json_schema","name":"n","schema":{"const":9007199254740993},"strict":true}}`), `,"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"const":9007199254740993},"strict":true}}`},
		"object":           {settings("text", `{"format":{"type":"json_object"},"verbosity":"low"}`), `,"response_format":{"type":"json_object"},"verbosity":"low"`},
		"text":             {settings("text", `{"format":{"type":"text"},"verbosity":null}`), ``},
		"vendor's format":  {settings("text", `{"format":{"type":"grammar","value":"x"}}`), `,"response_format":{"type":"grammar","value":"x"}`},
		"null objects":     {settings("text", `null`, "reasoning", "null"), ``},
		"format in chat":   {settings("text", `{"format":{"type":"json_object"}}`, "response_format", `{"type":"text"}`), `,"response_format":{"type":"text"}`},
		"effort":           {settings("reasoning", `{"effort":"high","summary":"auto"}`), `,"reasoning_effort":"high"`},
		"responses only":   {settings("include", `[]`, "truncation", `"auto"`, "previous_response_id", `"x"`, "max_tool_calls", "5", "background", "true"), ``},
		"same in both":     {settings("store", "false", "metadata", `{"a":"b"}`, "user", `"u"`, "top_p", "null"), `,"metadata":{"a":"b"},"store":false,"top_p":null,"user":"u"`},
		"vendor's setting": {settings("chat_template_kwargs", `{"n":9007199254740993}`), `,"chat_template_kwargs":{"n":9007199254740993}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := bodySent(t, openaimodel.Chat, model.Request{Model: "m", Settings: test.given})
			require.Equal(t, `{"model":"m","messages":[]`+test.want+`}`, string(body))
		})
	}
}

func TestSettingOfTheWrongKindFailsForGood(t *testing.T) {
	t.Parallel()
	m := answer(t, http.StatusOK, emptyChat)
	for key, value := range map[string]string{"text": `"json"`, "reasoning": `"high"`} {
		_, err := m.client(t, openaimodel.Chat).Infer(t.Context(), model.Request{Model: "m", Settings: settings(key, value)})
		var failure *model.Error
		require.ErrorAs(t, err, &failure)
		require.True(t, failure.Permanent)
		require.Contains(t, failure.Message, `the request field "`+key+`"`)
	}
	_, err := m.client(t, openaimodel.Chat).Infer(t.Context(), model.Request{Model: "m", Settings: settings("text", `{"format":7}`)})
	require.ErrorContains(t, err, "not an object")
	require.Empty(t, m.seen())
}
