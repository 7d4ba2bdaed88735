package sse_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"errand/activities/openaimodel/sse"
)

const maxLine = 4 << 20

// collect reads all events, each as name|data, with a ! behind one that was
// cut.
func collect(source io.Reader) ([]string, error) {
	all, read := []string{}, sse.NewReader(source, maxLine)
	for {
		got, err := read.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		text := got.Name + "|" + string(got.Data)
		if got.Cut {
			text += "!"
		}
		all = append(all, text)
	}
}

func TestEventsFollowTheStandard(t *testing.T) {
	t.Parallel()
	for stream, want := range map[string][]string{
		"":                                       {},
		"\n\r\n\r\n\n":                           {},
		"data: a\n\ndata: b\n\n":                 {"|a", "|b"},
		"data: a\r\n\r\ndata: b\r\n\r\n":         {"|a", "|b"},
		"data: a\r\rdata: b\r\r":                 {"|a", "|b"},
		"data: a\r\n\ndata: b\n\r\n":             {"|a", "|b"},
		"data: a\n\n\n\n\r\ndata: b\n\n":         {"|a", "|b"},
		"\ufeffdata: a\n\n":                      {"|a"},
		"\ufeff\ufeffdata: a\n\n":                {},
		": hello\ndata: a\n: again\n\n:\n\n":     {"|a"},
		"data:a\n\ndata:  b \n\n":                {"|a", "| b "},
		"data: a\ndata: b\n\ndata:\ndata: c\n\n": {"|a\nb", "|\nc"},
		"data\n\ndata:\n\ndata: \n\n":            {},
		"data\ndata\n\n":                         {"|\n"},
		"event: x\ndata: a\n\ndata: b\n\n":       {"x|a", "|b"},
		"event: x\n\ndata: a\n\n":                {"|a"},
		"data: a\nevent: x\n\n":                  {"x|a"},
		"id: 1\nretry: 5\nother: z\ndata: a\n\n": {"|a"},
		"Data: a\n\n data: b\n\ndatax: c\n\n":    {},
		"data: a: b\n\n":                         {"|a: b"},
		// The blank line at the end is missed by nobody.
		"data: a\n\ndata: b\n":       {"|a", "|b!"},
		"data: a\n\ndata: b":         {"|a", "|b!"},
		"data: a\n\ndata: b\ndat":    {"|a", "|b!"},
		"data: a\r\n\r\ndata: b\r\n": {"|a", "|b!"},
		"data: a\r\r":                {"|a"},
		"data: a\r\n\r":              {"|a"},
		"data: a\n\ndat":             {"|a"},
		"data: a\n\nevent: b":        {"|a"},
	} {
		for how, read := range map[string]io.Reader{
			"at once": strings.NewReader(stream), "by byte": iotest.OneByteReader(strings.NewReader(stream)),
			"with the end": iotest.DataErrReader(strings.NewReader(stream)),
		} {
			got, err := collect(read)
			require.NoError(t, err)
			require.Equal(t, want, got, "%q %s", stream, how)
		}
	}
}

func TestEventBeforeABrokenConnectionIsGivenOut(t *testing.T) {
	t.Parallel()
	broken := errors.New("reset by peer")
	got, err := collect(io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	require.Equal(t, []string{"|a", "|b!"}, got)
}

func TestLongLinesAreReadUpToABound(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 3<<20)
	got, err := collect(iotest.HalfReader(strings.NewReader("data: " + long + "\n\n")))
	require.NoError(t, err)
	require.Equal(t, []string{"|" + long}, got)

	_, err = collect(strings.NewReader("data: a\n\ndata: " + strings.Repeat("a", maxLine)))
	require.Equal(t, sse.TooLargeError(maxLine), err)
}

func TestStreamsAreReadUpToABound(t *testing.T) {
	t.Parallel()
	const stream = "data: a\n\ndata: b\n\n"
	got, err := collect(sse.Limit(strings.NewReader(stream), len(stream)))
	require.NoError(t, err)
	require.Equal(t, []string{"|a", "|b"}, got)
	_, err = collect(sse.Limit(strings.NewReader(stream), len(stream)-1))
	require.Equal(t, sse.TooLargeError(len(stream)-1), err)
}
