package shell_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/shell"
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
		got, err := shell.Split(line)
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
		got, err := shell.Split(line)
		require.ErrorContains(t, err, want, line)
		require.Empty(t, got, line)
	}
}

func TestQuoteIsUndoneBySplit(t *testing.T) {
	t.Parallel()
	require.Equal(t, "run_01", shell.Quote("run_01"))
	require.Equal(t, "''", shell.Quote(""))
	for _, text := range []string{"", "a", "two words", "it's", `"$x" \ *`, "a\nb", "ü~!#"} {
		got, err := shell.Split(shell.Quote(text))
		require.NoError(t, err, text)
		require.Equal(t, []string{text}, got)
	}
}
