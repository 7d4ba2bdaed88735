package textcall_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/textcall"
)

func TestCallsAreReadInManyShapes(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ body, id, arguments string }{
		"as it should be":           {`{"name":"f","arguments":{"a":9007199254740993}}`, "", `{"a":9007199254740993}`},
		"other names":               {`{"tool_name":" f ","args":{"a":1}}`, "", `{"a":1}`},
		"parameters":                {`{"name":"f","parameters":{"a":1}}`, "", `{"a":1}`},
		"no arguments":              {`{"name":"f"}`, "", `{}`},
		"null arguments":            {`{"name":"f","arguments":null,"id":null}`, "", `{}`},
		"blank arguments":           {`{"name":"f","arguments":" "}`, "", `{}`},
		"within function":           {`{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}`, "c", `{"a":1}`},
		"arguments beside function": {`{"call_id":"c","function":{"tool_name":"f"},"args":{"a":1}}`, "c", `{"a":1}`},
		"arguments as a string":     {`{"name":"f","arguments":"{\"a\":1}"}`, "", `{"a":1}`},
		"a string twice":            {`{"name":"f","arguments":"\"{\\\"a\\\":1}\""}`, "", `{"a":1}`},
		"a fence in a string":       {"{\"name\":\"f\",\"arguments\":\"```json\\n{\\\"a\\\":1}\\n```\"}", "", `{"a":1}`},
		"a fence on one line":       {"{\"name\":\"f\",\"arguments\":\"```{\\\"a\\\":1}```\"}", "", `{"a":1}`},
		"a fence with line breaks":  {"{\"name\":\"f\",\"arguments\":\"```json\n{\\\"a\\\":1}\n```\"}", "", `{"a":1}`},
		"faults in a string":        {`{"name":"f","arguments":"{“a”:1,}"}`, "", `{"a":1}`},
		"the call as a string":      {`"{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}"`, "", `{"a":1}`},
		"the call in a fence":       {"```json\n{\"name\":\"f\",\"arguments\":{\"a\":1}}\n```", "", `{"a":1}`},
		"trailing commas":           {`{"name":"f","arguments":{"a":[1, 2 , ],},}`, "", `{"a":[1,2]}`},
		"smart quotes":              {`{“name”: “f”, „arguments“: {“a”: “it’s ‘so’”}}`, "", `{"a":"it’s ‘so’"}`},
		"quotes of two kinds":       {`{“name": “f”, "arguments”: {“a": 1}}`, "", `{"a":1}`},
		"smart quotes as text":      {`{"name":"f","arguments":{"a":"say “hi”, ok",}}`, "", `{"a":"say “hi”, ok"}`},
		"straight quotes as text":   {`{“name”:“f”,“arguments”:{“a”:“say "hi", \"ok\"”}}`, "", `{"a":"say \"hi\", \"ok\""}`},
		"line breaks in a string":   {"{\"name\":\"f\",\"arguments\":{\"a\":\"1\n\t2\"}}", "", `{"a":"1\n\t2"}`},
		"commas as text":            {`{"name":"f","arguments":{"a":",}",},}`, "", `{"a":",}"}`},
		"not UTF-8":                 {"{\"name\":\"f\",\"arguments\":{\"a\":\"\xff\"}}", "", "{\"a\":\"\uFFFD\"}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls, rest := textcall.Parse("<fc>" + row.body + "</fc>")
			require.Len(t, calls, 1)
			require.Equal(t, "f", calls[0].Name)
			require.Equal(t, row.id, calls[0].ID)
			require.JSONEq(t, row.arguments, calls[0].Arguments)
			require.Empty(t, rest)
		})
	}
}

func TestBodiesThatAreNoCallStayText(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no name":                     `{"arguments":{}}`,
		"blank name":                  `{"name":" ","arguments":{}}`,
		"a name that is a number":     `{"name":7,"arguments":{}}`,
		"arguments in an array":       `{"name":"f","arguments":[1]}`,
		"arguments that are a number": `{"name":"f","arguments":1}`,
		"text as arguments":           `{"name":"f","arguments":"Rome"}`,
		"an array as text":            `{"name":"f","arguments":"[1]"}`,
		"wrapped too often":           `{"name":"f","arguments":"\"\\\"\\\\\\\"\\\\\\\\\\\\\\\"{}\\\\\\\\\\\\\\\"\\\\\\\"\\\"\""}`,
		"function that is text":       `{"function":"f","arguments":{}}`,
		"function within function":    `{"function":{"function":{"name":"f"}}}`,
		"an array":                    `[{"name":"f","arguments":{}}]`,
		"a number":                    `1`,
		"null":                        `null`,
		"nothing":                     ``,
		"cut":                         `{"name":"f","arguments":{`,
		"two commas":                  `{"name":"f","arguments":{},,}`,
		"smart quotes in the way":     `{“name”:“f”,“arguments”:{“a”:“say “hi” now”}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := "<fc>" + body + "</fc>"
			calls, rest := textcall.Parse(text)
			require.Nil(t, calls)
			require.Equal(t, text, rest)
		})
	}
}
