package show_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/show"
)

func TestDurationsAreForPeople(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second:             "0 ms",
		12 * time.Millisecond:    "12 ms",
		1990 * time.Millisecond:  "1.9 s",
		59999 * time.Millisecond: "59.9 s",
		61 * time.Second:         "1 min 1 s",
		90 * time.Minute:         "1 h 30 min",
		72 * time.Hour:           "3 days",
	} {
		require.Equal(t, want, show.Duration(d))
	}
}

func TestShortCutsByCharactersAndKeepsWhatFits(t *testing.T) {
	t.Parallel()
	require.Equal(t, "grüße", show.Short("grüße", 5))
	require.Equal(t, "grü…", show.Short("grüße", 4))
	require.Equal(t, "a b", show.Short(" a\n b ", 10))
	require.Empty(t, show.Short("", 5))
}

func TestJSONIsLaidOutWhenItIsLong(t *testing.T) {
	t.Parallel()
	require.Equal(t, `{"a":1}`, show.JSON([]byte(` { "a" : 1 } `)))
	require.Equal(t, "not json␛", show.JSON([]byte("not json\x1b")))
	long := strings.Repeat("x", 80)
	require.Equal(t, "{\n  \"a\": \""+long+"\"\n}", show.JSON([]byte(`{"a":"`+long+`"}`)))
}

func TestTableAlignsByCharactersUnderColour(t *testing.T) {
	t.Parallel()
	red := show.Paint{On: true}.Bad
	var out strings.Builder
	require.NoError(t, show.Table(&out, [][]show.Cell{
		{{Text: "RUN"}, {Text: "STATUS"}, {Text: "PROMPT"}},
		{{Text: "grüße"}, {Text: "failed", Paint: red}, {Text: "x"}},
		{{Text: "  a note that is wider than any column"}},
		{{Text: "b"}, {Text: ""}, {Text: ""}},
	}))
	require.Equal(t, "RUN    STATUS  PROMPT\n"+
		"grüße  \x1b[31mfailed\x1b[0m  x\n"+
		"  a note that is wider than any column\n"+
		"b\n", out.String())
}
