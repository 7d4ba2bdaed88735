package ask_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/ask"
	"errand/cmd/errand/ask/asktest"
	"errand/cmd/errand/show"
)

var lookup = ask.Call{Tool: "lookup", ID: "call_a", Arguments: `{"city":"Oslo"}`}

func seat(steps ...asktest.Step) (*ask.Person, *asktest.Terminal) {
	terminal := asktest.New(steps...)
	return ask.NewPerson(terminal, terminal, show.Paint{}), terminal
}

func TestAnswersAreReadLineByLine(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		steps []asktest.Step
		want  ask.Reply
	}{
		"one line":       {[]asktest.Step{{See: "answer> ", Type: "sunny\n"}}, ask.Reply{Text: "sunny"}},
		"blanks around":  {[]asktest.Step{{See: "answer> ", Type: "  sunny \r\n"}}, ask.Reply{Text: "sunny"}},
		"nothing first":  {[]asktest.Step{{See: "answer> ", Type: "\n"}, {See: "answer> ", Type: "sunny\n"}}, ask.Reply{Text: "sunny"}},
		"several lines":  {[]asktest.Step{{See: "answer> ", Type: "a\\\n"}, {See: "      > ", Type: "b\n"}}, ask.Reply{Text: "a\nb"}},
		"pasted lines":   {[]asktest.Step{{See: "answer> ", Type: "a\\\nb\\\nc\n"}}, ask.Reply{Text: "a\nb\nc"}},
		"an error":       {[]asktest.Step{{See: "answer> ", Type: "! no such city\n"}}, ask.Reply{Text: "no such city", IsError: true}},
		"an empty error": {[]asktest.Step{{See: "answer> ", Type: "!\n"}, {See: "answer> ", Type: "x\n"}}, ask.Reply{Text: "x"}},
		"an escaped !":   {[]asktest.Step{{See: "answer> ", Type: "\\!important\n"}}, ask.Reply{Text: "!important"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			person, terminal := seat(one.steps...)
			got, err := person.Answer(t.Context(), lookup)
			require.NoError(t, err)
			require.Equal(t, one.want, got)
			require.Contains(t, terminal.Screen(), "? lookup (call_a) asks you:\n  {\"city\":\"Oslo\"}\n")
		})
	}
}

func TestTheHintIsGivenOnce(t *testing.T) {
	t.Parallel()
	person, terminal := seat(asktest.Step{See: "answer> ", Type: "a\n"}, asktest.Step{See: "answer> ", Type: "b\n"})
	for range 2 {
		_, err := person.Answer(t.Context(), lookup)
		require.NoError(t, err)
	}
	require.Regexp(t, `(?s)^[^!]*!text answers with an error[^!]*$`, terminal.Screen())
}

func TestApprovalsNeedAPlainWord(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		steps []asktest.Step
		want  ask.Verdict
	}{
		"yes":             {[]asktest.Step{{See: "[y/n] ", Type: "y\n"}}, ask.Verdict{Approve: true}},
		"yes, because":    {[]asktest.Step{{See: "[y/n] ", Type: "YES go on\n"}}, ask.Verdict{Approve: true, Reason: "go on"}},
		"no":              {[]asktest.Step{{See: "[y/n] ", Type: "n\n"}, {See: "reason", Type: "not today\n"}}, ask.Verdict{Reason: "not today"}},
		"no, because":     {[]asktest.Step{{See: "[y/n] ", Type: "no not today\n"}}, ask.Verdict{Reason: "not today"}},
		"no, and nothing": {[]asktest.Step{{See: "[y/n] ", Type: "n\n"}, {See: "reason", Type: "\n"}}, ask.Verdict{}},
		"anything else":   {[]asktest.Step{{See: "[y/n] ", Type: "\n"}, {See: "[y/n] ", Type: "yeah\n"}, {See: "[y/n] ", Type: "y\n"}}, ask.Verdict{Approve: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			person, terminal := seat(one.steps...)
			got, err := person.Approve(t.Context(), lookup, "it writes")
			require.NoError(t, err)
			require.Equal(t, one.want, got)
			require.Contains(t, terminal.Screen(), "? lookup (call_a) wants approval: it writes\n")
		})
	}
}

func TestStopComesBeforeTheOpenQuestion(t *testing.T) {
	t.Parallel()
	stopped := make(chan ask.Choice, 1)
	var person *ask.Person
	stop := func() {
		go func() {
			choice, _ := person.Stop(t.Context(), "run_1")
			stopped <- choice
		}()
	}
	person, terminal := seat(
		asktest.Step{See: "answer> ", Do: stop},
		asktest.Step{See: "keep watching: ", Type: "what\n"},
		asktest.Step{See: "keep watching: ", Type: "\n"},
		asktest.Step{See: "answer> ", Type: "sunny\n"},
	)
	reply, err := person.Answer(t.Context(), lookup)
	require.NoError(t, err)
	require.Equal(t, "sunny", reply.Text)
	require.Equal(t, ask.GoOn, <-stopped)
	require.Contains(t, terminal.Screen(), "run_1 goes on. [d]etach, [c]ancel it")
}

func TestStopReadsEachChoice(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]ask.Choice{"\n": ask.GoOn, "d\n": ask.Detach, "Cancel\n": ask.Cancel} {
		person, _ := seat(asktest.Step{See: "keep watching: ", Type: typed})
		got, err := person.Stop(t.Context(), "run_1")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestAQuestionEndsWithItsContext(t *testing.T) {
	t.Parallel()
	settled := errors.New("settled elsewhere")
	ctx, cancel := context.WithCancelCause(t.Context())
	person, _ := seat(asktest.Step{See: "answer> ", Do: func() { cancel(settled) }}, asktest.Step{See: "answer> ", Type: "next\n"})
	_, err := person.Answer(ctx, lookup)
	require.ErrorIs(t, err, settled)
	_, err = person.Answer(ctx, lookup)
	require.ErrorIs(t, err, settled, "a question that is over is not asked")
	reply, err := person.Answer(t.Context(), lookup)
	require.NoError(t, err)
	require.Equal(t, "next", reply.Text)
}

func TestTheEndOfInputEndsEveryQuestion(t *testing.T) {
	t.Parallel()
	var terminal *asktest.Terminal
	person, terminal := seat(asktest.Step{See: "answer> ", Do: func() { _ = terminal.Close() }})
	_, err := person.Answer(t.Context(), lookup)
	require.ErrorIs(t, err, io.EOF)
	_, err = person.Approve(t.Context(), lookup, "")
	require.ErrorIs(t, err, io.EOF)
	choice, err := person.Stop(t.Context(), "run_1")
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, ask.Detach, choice)
}

func TestOneQuestionIsAskedAtATime(t *testing.T) {
	t.Parallel()
	second := make(chan ask.Verdict, 1)
	var person *ask.Person
	also := func() {
		go func() {
			verdict, _ := person.Approve(t.Context(), ask.Call{Tool: "write_file", ID: "call_b"}, "")
			second <- verdict
		}()
		person.Say("a line of progress") // shows the open question again
	}
	person, terminal := seat(
		asktest.Step{See: "answer> ", Do: also},
		asktest.Step{See: "answer> ", Type: "sunny\n"},
		asktest.Step{See: "[y/n] ", Type: "y\n"},
	)
	_, err := person.Answer(t.Context(), lookup)
	require.NoError(t, err)
	require.True(t, (<-second).Approve)
	require.Regexp(t, `(?s)answer> .*write_file`, terminal.Screen())
}

func TestProgressKeepsTheOpenQuestionInSight(t *testing.T) {
	t.Parallel()
	var person *ask.Person
	person, terminal := seat(
		asktest.Step{See: "answer> ", Do: func() { person.Say("round 2") }},
		asktest.Step{See: "\r\x1b[Kround 2\nanswer> ", Type: "sunny\n"},
	)
	_, err := person.Answer(t.Context(), lookup)
	require.NoError(t, err)
	person.Say("done")
	require.Contains(t, terminal.Screen(), "answer> done\n")
	require.NotContains(t, terminal.Screen(), "done\nanswer>")
}
