package words_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/words"
)

func TestSplitReadsWordsLikeAShellWithoutExpansions(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]string{
		"":                       {},
		"  \t ":                  {},
		"./look":                 {"./look"},
		"  ./look  -n  3 ":       {"./look", "-n", "3"},
		`a 'b c' "d e"`:          {"a", "b c", "d e"},
		`a ""  ''`:               {"a", "", ""},
		`it\'s one\ word`:        {"it's", "one word"},
		`"say \"hi\" \n \\"`:     {`say "hi" \n \`},
		`'back\slash'`:           {`back\slash`},
		`pre'mid'"post"`:         {"premidpost"},
		"$HOME/*.go | wc > `x`":  {"$HOME/*.go", "|", "wc", ">", "`x`"},
		"line\nbreak":            {"line", "break"},
		`grüße "köln am rhein"`:  {"grüße", "köln am rhein"},
		`curl -H 'A: "b"' http:`: {"curl", "-H", `A: "b"`, "http:"},
	} {
		got, err := words.Split(line)
		require.NoError(t, err, line)
		require.Equal(t, want, got, line)
	}
}

func TestSplitSaysWhatIsNotClosed(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`a 'b`:   "single quote",
		`a "b`:   "double quote",
		`a "b\"`: "double quote",
		`a b\`:   "backslash",
	} {
		got, err := words.Split(line)
		require.ErrorContains(t, err, want, line)
		require.Empty(t, got, line)
	}
}

func TestQuoteIsUndoneBySplit(t *testing.T) {
	t.Parallel()
	require.Equal(t, "run_01", words.Quote("run_01"))
	require.Equal(t, "''", words.Quote(""))
	for _, text := range []string{"", "a", "two words", "it's", `"$x" \ *`, "a\nb", "ü~!#"} {
		got, err := words.Split(words.Quote(text))
		require.NoError(t, err, text)
		require.Equal(t, []string{text}, got)
	}
}

func TestNamedWantsANameAndAProgram(t *testing.T) {
	t.Parallel()
	name, command, err := words.Named(`lookup=./look --sep "a=b"`)
	require.NoError(t, err)
	require.Equal(t, "lookup", name)
	require.Equal(t, []string{"./look", "--sep", "a=b"}, command)
	for value, want := range map[string]string{
		"lookup":     "write it as name=program",
		"=./look":    "write it as name=program",
		"lookup=":    "name a program after the =",
		"lookup='x":  "single quote",
		"lookup=  ":  "name a program after the =",
		`lookup=""`:  "name a program after the =",
		`lookup= "`:  "double quote",
		"lookup=a\\": "backslash",
	} {
		_, _, err := words.Named(value)
		require.ErrorContains(t, err, want, value)
	}
}
