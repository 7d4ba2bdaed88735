package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/program"
	"errand/starter"
)

func requester(stdin string, environ ...string) *app {
	return &app{name: "errand", environ: environ, std: streams{in: strings.NewReader(stdin)}}
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "request.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestAPromptMakesARequest(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		app   *app
		flags requestFlags
		words []string
		execs program.Set
		want  string
	}{
		"words":          {app: requester(""), words: []string{"what", "time?"}, want: `{"model":"gpt-5-mini","input":"what time?"}`},
		"standard input": {app: requester("long\ntext\n"), words: []string{"-"}, want: `{"model":"gpt-5-mini","input":"long\ntext"}`},
		"variable":       {app: requester("", "ERRAND_MODEL=m"), words: []string{"x"}, want: `{"model":"m","input":"x"}`},
		"flags": {
			app: requester("", "ERRAND_MODEL=m"), flags: requestFlags{model: "n", instructions: "be brief", tools: []string{"now", "read_file"}}, words: []string{"x"},
			want: `{"model":"n","instructions":"be brief","input":"x","tools":[{"type":"platform","name":"now"},{"type":"platform","name":"read_file"}]}`,
		},
		"programs": {
			app: requester(""), words: []string{"x"}, execs: program.Set{"b": {"./b"}, "a": {"./a"}},
			want: `{"model":"gpt-5-mini","input":"x","tools":[{"type":"function","name":"a"},{"type":"function","name":"b"}]}`,
		},
	} {
		raw, err := one.app.request(one.flags, one.words, one.execs)
		require.NoError(t, err, name)
		require.JSONEq(t, one.want, string(raw), name)
	}
}

func TestAFileIsSentAsItIs(t *testing.T) {
	t.Parallel()
	const text = `{ "model":"m", "input":"x", "vendor":1.0, "tools":[] }`
	raw, err := requester("", "ERRAND_MODEL=other").request(requestFlags{file: file(t, text)}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, text, string(raw))
	raw, err = requester(text).request(requestFlags{file: "-"}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, text, string(raw))
}

func TestFlagsAreWrittenOverAFile(t *testing.T) {
	t.Parallel()
	path := file(t, `{"model":"m","input":"x","vendor":1.0,"tools":[{"type":"function","name":"f"}]}`)
	raw, err := requester("").request(requestFlags{file: path, model: "n", instructions: "i", tools: []string{"now"}}, nil, nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"n","instructions":"i","input":"x","vendor":1.0,
		"tools":[{"type":"function","name":"f"},{"type":"platform","name":"now"}]}`, string(raw))
	require.Contains(t, string(raw), `"vendor":1.0`, "numbers stay as they were written")
}

func TestAProgramForAFileMustBeDeclaredThere(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"tools":[{"type":"function","name":"lookup"}]}`: "",
		`{"tools":[{"type":"custom","name":"lookup"}]}`:   "",
		`{"run":{"undeclared_tools":"client"}}`:           "",
		`{}`:                                              `add {"type":"function","name":"lookup"} to its tools`,
		`{"tools":[{"type":"platform","name":"lookup"}]}`: "declares no function of this name",
		`{"tools":[{"type":"namespace","name":"crm","tools":[{"type":"function","name":"lookup"}]}]}`: "declares no function of this name",
		`{"tools":7}`: "declares no function of this name",
	} {
		_, err := requester("").request(requestFlags{file: file(t, text)}, nil, program.Set{"lookup": {"sh"}})
		if want == "" {
			require.NoError(t, err, text)
			continue
		}
		require.ErrorContains(t, err, want, text)
		require.ErrorAs(t, err, new(*usageError))
	}
	nested := file(t, `{"tools":[{"type":"namespace","name":"crm","tools":[{"type":"function","name":"lookup"}]}]}`)
	_, err := requester("").request(requestFlags{file: nested}, nil, program.Set{"crm.lookup": {"sh"}})
	require.NoError(t, err)
}

func TestWhatIsNoRequestIsRefusedWithTheFix(t *testing.T) {
	t.Parallel()
	_, err := requester("").request(requestFlags{file: "absent.json"}, nil, nil)
	require.ErrorContains(t, err, "absent.json")
	require.ErrorAs(t, err, new(*usageError))
	_, err = requester("").request(requestFlags{file: "a.json"}, []string{"words"}, nil)
	require.ErrorContains(t, err, "put the prompt into the file's input")
	_, err = requester("[]").request(requestFlags{file: "-"}, nil, nil)
	var invalid *starter.InvalidRequestError
	require.ErrorAs(t, err, &invalid)
	require.ErrorContains(t, err, "standard input must hold one JSON object")
	require.NotContains(t, err.Error(), "line")
	for text, want := range map[string]string{
		"{\n  \"input\": \"żółć\" ?\n}": "line 2, column 19: invalid character '?'",
		"{\n \"a\": 1,\n}":              "line 3, column 1: invalid character '}'",
		"":                              "line 1, column 1: unexpected end of JSON input",
		"{\"a\":\n1":                    "line 2, column 2: unexpected end of JSON input",
	} {
		path := file(t, text)
		_, err = requester("").request(requestFlags{file: path}, nil, nil)
		require.ErrorContains(t, err, path+" must hold one JSON object: "+want)
	}
	_, err = requester(" \n").request(requestFlags{}, []string{"-"}, nil)
	require.ErrorContains(t, err, "no prompt")
}

func TestProgramsAreLookedForBeforeARunStarts(t *testing.T) {
	t.Parallel()
	_, err := parsePrograms([]string{"lookup=./no-such-program"})
	require.ErrorContains(t, err, "--exec lookup: ./no-such-program is not a program that can be run")
	all, err := parsePrograms([]string{`b=sh -c 'x y'`, "a=sh"})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, all.Names())
	require.Equal(t, []string{"sh", "-c", "x y"}, all["b"])
}

func TestAnAnswerIsTextJSONOrAnError(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		stdin, argument string
		flags           answerFlags
		want            string
	}{
		"text":           {argument: `say "hi"`, flags: answerFlags{action: "act_1_0"}, want: `{"action_id":"act_1_0","output":"say \"hi\""}`},
		"standard input": {stdin: "two\nlines\n", argument: "-", flags: answerFlags{call: "c"}, want: `{"tool_call_id":"c","output":"two\nlines"}`},
		"file":           {argument: "@" + file(t, "from file\n"), want: `{"output":"from file"}`},
		"json":           {argument: `{"a":[1]}`, flags: answerFlags{json: true}, want: `{"output":{"a":[1]}}`},
		"json error":     {argument: `{"a":1}`, flags: answerFlags{json: true, isError: true}, want: `{"output":{"a":1},"is_error":true}`},
		"error":          {argument: "no", flags: answerFlags{isError: true}, want: `{"output":"{\"error\":\"no\",\"type\":\"ExecutionFailed\"}","is_error":true}`},
	} {
		answer, err := requester(one.stdin).answer(one.flags, one.argument)
		require.NoError(t, err, name)
		require.JSONEq(t, one.want, encoded(t, answer), name)
	}
}

func TestTimeoutsOfTheClientGoIntoTheRequest(t *testing.T) {
	t.Parallel()
	flags := requestFlags{timeout: "72h", onTimeout: "fail"}
	raw, err := requester("").request(flags, []string{"x"}, nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"gpt-5-mini","input":"x","run":{"client_timeout":"72h","on_client_timeout":"fail"}}`, string(raw))

	path := file(t, `{"model":"m","input":"x","run":{"max_rounds":3,"client_timeout":"1h"}}`)
	raw, err = requester("").request(requestFlags{file: path, timeout: "0s"}, nil, nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"model":"m","input":"x","run":{"max_rounds":3,"client_timeout":"0s"}}`, string(raw))
}
