package textcall_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/textcall"
)

// weather is the call that most rows hold.
var weather = textcall.Call{Name: "weather", Arguments: `{"city":"Rome"}`}

func TestBlocksAreCalls(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		text  string
		calls []textcall.Call
		rest  string
	}{
		"one block": {
			`<fc>{"name":"weather","arguments":{"city":"Rome"}}</fc>`, []textcall.Call{weather}, "",
		},
		"several keep their order": {
			`First <fc>{"name":"b","arguments":{}}</fc> then <fc>{"name":"a","arguments":{"n":1}}</fc> done.`,
			[]textcall.Call{{Name: "b", Arguments: `{}`}, {Name: "a", Arguments: `{"n":1}`}},
			"First  then  done.",
		},
		"tags of any case": {
			`<FC>{"name":"weather","arguments":{"city":"Rome"}}</Fc>`, []textcall.Call{weather}, "",
		},
		"spaces and attributes in tags": {
			"<fc id=\"7\" lang='json'>\n{\"name\":\"weather\",\"arguments\":{\"city\":\"Rome\"}}\n</ fc >", []textcall.Call{weather}, "",
		},
		"blocks in a plan stay text": {
			`<plan>I will <fc>{"name":"no","arguments":{}}</fc></plan><fc>{"name":"weather","arguments":{"city":"Rome"}}</fc>`,
			[]textcall.Call{weather},
			`<plan>I will <fc>{"name":"no","arguments":{}}</fc></plan>`,
		},
		"a plan that does not end is none": {
			`<Plan> ask <fc>{"name":"weather","arguments":{"city":"Rome"}}</fc>`, []textcall.Call{weather}, "<Plan> ask",
		},
		"an id is kept": {
			`<fc>{"id":"call_7","name":"weather","arguments":{"city":"Rome"}}</fc>`,
			[]textcall.Call{{ID: "call_7", Name: "weather", Arguments: `{"city":"Rome"}`}},
			"",
		},
		"an empty id is none": {
			`<fc>{"id":"","name":"weather","arguments":{"city":"Rome"}}</fc>`, []textcall.Call{weather}, "",
		},
		"an invalid item does not take the others along": {
			`<fc>{"name":""}</fc><fc>not JSON</fc><fc>[]</fc><fc>{"name":"x","arguments":[1]}</fc><fc>{"name":"weather","arguments":{"city":"Rome"}}</fc>`,
			[]textcall.Call{weather},
			`<fc>{"name":""}</fc><fc>not JSON</fc><fc>[]</fc><fc>{"name":"x","arguments":[1]}</fc>`,
		},
		"a block that does not end is no call": {
			`<fc>{"name":"lost","arguments":{}} <fc>{"name":"weather","arguments":{"city":"Rome"}}</fc> <fc>{"name":"late","arguments":{}}`,
			[]textcall.Call{weather},
			`<fc>{"name":"lost","arguments":{}}  <fc>{"name":"late","arguments":{}}`,
		},
		"tags within a string are text": {
			`<fc>{"name":"write","arguments":{"text":"</fc> \"<plan> <fc>{}</fc>"}}</fc> ok <fc>{"name":"weather","arguments":{"city":"Rome"}}</fc>`,
			[]textcall.Call{{Name: "write", Arguments: `{"text":"</fc> \"<plan> <fc>{}</fc>"}`}, weather},
			"ok",
		},
		"an end tag within the last string": {
			`<fc>{"name":"write","arguments":{"text":"</fc>"}}</fc>`,
			[]textcall.Call{{Name: "write", Arguments: `{"text":"</fc>"}`}},
			"",
		},
		"an open quote harms its own block only": {
			`<fc>{"name":"x","arguments":{"t":"}}</fc><fc>{"name":"weather","arguments":{"city":"Rome"}}</fc>`,
			[]textcall.Call{weather},
			`<fc>{"name":"x","arguments":{"t":"}}</fc>`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls, rest := textcall.Parse(row.text)
			require.Equal(t, row.calls, calls)
			require.Equal(t, row.rest, rest)
		})
	}
}

func TestWholeTextMayBeOneCall(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"bare":            `{"name":"weather","arguments":{"city":"Rome"}}`,
		"space around it": "\n {\"name\":\"weather\",\"arguments\":{\"city\":\"Rome\"}}\n",
		"in a fence":      "```json\n{\"name\":\"weather\",\"arguments\":{\"city\":\"Rome\"}}\n```",
		"with faults":     `{“name”:“weather”,"arguments":{"city":"Rome",},}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls, rest := textcall.Parse(text)
			require.Len(t, calls, 1)
			require.Equal(t, weather.Name, calls[0].Name)
			require.JSONEq(t, weather.Arguments, calls[0].Arguments)
			require.Empty(t, rest)
		})
	}
}

func TestTextWithoutACallIsUntouched(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                     "",
		"plain text":                  " It is sunny in Rome.\n",
		"text that speaks of the tag": "Write <fc> and </fc> around it; <fc/> is empty.",
		"other tags":                  `<fcx>{"name":"a","arguments":{}}</fcx><function>{"name":"a","arguments":{}}</function>`,
		"only the end":                `{"name":"a","arguments":{}}</fc>`,
		"a tag that does not close":   `<fc {"name":"a","arguments":{}}`,
		"a plan alone":                `<plan><fc>{"name":"a","arguments":{}}</fc></plan> `,
		"an object among words":       `Here: {"name":"a","arguments":{}}`,
		"two objects":                 `{"name":"a","arguments":{}}{"name":"b","arguments":{}}`,
		"an array":                    `[{"name":"a","arguments":{}}]`,
		"an answer in JSON":           `{"name":"Rome","population":2700000}`,
		"a fence among words":         "Like so:\n```json\n{\"name\":\"a\",\"arguments\":{}}\n```",
		"a string in JSON":            `"{\"name\":\"a\",\"arguments\":{}}"`,
		"too long":                    `<fc>{"name":"a","arguments":{}}</fc>` + strings.Repeat(" ", textcall.MaxText),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls, rest := textcall.Parse(text)
			require.Nil(t, calls)
			require.Equal(t, text, rest)
		})
	}
}
