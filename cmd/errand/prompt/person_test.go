package prompt_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/prompt"
	"errand/cmd/errand/prompt/prompttest"
	"errand/cmd/errand/show"
)

var lookup = prompt.Call{Tool: "lookup", ID: "call_a", Arguments: `{"city":"Oslo"}`}

func seat(steps ...prompttest.Step) (*prompt.Person, *prompttest.Terminal) {
	terminal := prompttest.New(steps...)
	return prompt.NewPerson(terminal, terminal, show.Paint{}), terminal
}

func TestAnswersAreReadLineByLine(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		steps []prompttest.Step
		want  prompt.Reply
	}{
		"one line":       {[]prompttest.Step{{See: "answer> ", Type: "sunny\n"}}, prompt.Reply{Text: "sunny"}},
		"blanks around":  {[]prompttest.Step{{See: "answer> ", Type: "  sunny \r\n"}}, prompt.Reply{Text: "sunny"}},
		"nothing first":  {[]prompttest.Step{{See: "answer> ", Type: "\n"}, {See: "answer> ", Type: "sunny\n"}}, prompt.Reply{Text: "sunny"}},
		"several lines":  {[]prompttest.Step{{See: "answer> ", Type: "a\\\n"}, {See: "      > ", Type: "b\n"}}, prompt.Reply{Text: "a\nb"}},
		"pasted lines":   {[]prompttest.Step{{See: "answer> ", Type: "a\\\nb\\\nc\n"}}, prompt.Reply{Text: "a\nb\nc"}},
		"an error":       {[]prompttest.Step{{See: "answer> ", Type: "! no such city\n"}}, prompt.Reply{Text: "no such city", IsError: true}},
		"an empty error": {[]prompttest.Step{{See: "answer> ", Type: "!\n"}, {See: "answer> ", Type: "x\n"}}, prompt.Reply{Text: "x"}},
		"an escaped !":   {[]prompttest.Step{{See: "answer> ", Type: "\\!important\n"}}, prompt.Reply{Text: "!important"}},
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
	person, terminal := seat(prompttest.Step{See: "answer> ", Type: "a\n"}, prompttest.Step{See: "answer> ", Type: "b\n"})
	for range 2 {
		_, err := person.Answer(t.Context(), lookup)
		require.NoError(t, err)
	}
	require.Regexp(t, `(?s)^[^!]*!text answers with an error[^!]*$`, terminal.Screen())
}

func TestApprovalsNeedAPlainWord(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		steps []prompttest.Step
		want  prompt.Decision
	}{
		"yes":             {[]prompttest.Step{{See: "[y/n] ", Type: "y\n"}}, prompt.Decision{Approve: true}},
		"yes, because":    {[]prompttest.Step{{See: "[y/n] ", Type: "YES go on\n"}}, prompt.Decision{Approve: true, Reason: "go on"}},
		"no":              {[]prompttest.Step{{See: "[y/n] ", Type: "n\n"}, {See: "reason", Type: "not today\n"}}, prompt.Decision{Reason: "not today"}},
		"no, because":     {[]prompttest.Step{{See: "[y/n] ", Type: "no not today\n"}}, prompt.Decision{Reason: "not today"}},
		"no, and nothing": {[]prompttest.Step{{See: "[y/n] ", Type: "n\n"}, {See: "reason", Type: "\n"}}, prompt.Decision{}},
		"anything else":   {[]prompttest.Step{{See: "[y/n] ", Type: "\n"}, {See: "[y/n] ", Type: "yeah\n"}, {See: "[y/n] ", Type: "y\n"}}, prompt.Decision{Approve: true}},
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
	stopped := make(chan prompt.Choice, 1)
	var person *prompt.Person
	stop := func() {
		go func() {
			choice, _ := person.Stop(t.Context(), "run_1")
			stopped <- choice
		}()
	}
	person, terminal := seat(
		prompttest.Step{See: "answer> ", Do: stop},
		prompttest.Step{See: "keep watching: ", Type: "what\n"},
		prompttest.Step{See: "keep watching: ", Type: "\n"},
		prompttest.Step{See: "answer> ", Type: "sunny\n"},
	)
	reply, err := person.Answer(t.Context(), lookup)
	require.NoError(t, err)
	require.Equal(t, "sunny", reply.Text)
	require.Equal(t, prompt.GoOn, <-stopped)
	require.Contains(t, terminal.Screen(), "run_1 goes on. [d]etach, [c]ancel it")
}

func TestStopReadsEachChoice(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]prompt.Choice{"\n": prompt.GoOn, "d\n": prompt.Detach, "Cancel\n": prompt.Cancel} {
		person, _ := seat(prompttest.Step{See: "keep watching: ", Type: typed})
		got, err := person.Stop(t.Context(), "run_1")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestAQuestionEndsWithItsContext(t *testing.T) {
	t.Parallel()
	settled := errors.New("settled elsewhere")
	ctx, cancel := context.WithCancelCause(t.Context())
	person, _ := seat(prompttest.Step{See: "answer> ", Do: func() { cancel(settled) }}, prompttest.Step{See: "answer> ", Type: "next\n"})
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
	var terminal *prompttest.Terminal
	person, terminal := seat(prompttest.Step{See: "answer> ", Do: func() { _ = terminal.Close() }})
	_, err := person.Answer(t.Context(), lookup)
	require.ErrorIs(t, err, io.EOF)
	_, err = person.Approve(t.Context(), lookup, "")
	require.ErrorIs(t, err, io.EOF)
	choice, err := person.Stop(t.Context(), "run_1")
	require.ErrorIs(t, err, io.EOF)
	require.Equal(t, prompt.Detach, choice)
}

func TestOneQuestionIsAskedAtATime(t *testing.T) {
	t.Parallel()
	second := make(chan prompt.Decision, 1)
	var person *prompt.Person
	also := func() {
		go func() {
			verdict, _ := person.Approve(t.Context(), prompt.Call{Tool: "write_file", ID: "call_b"}, "")
			second <- verdict
		}()
		person.Say("a line of progress") // shows the open question again
	}
	person, terminal := seat(
		prompttest.Step{See: "answer> ", Do: also},
		prompttest.Step{See: "answer> ", Type: "sunny\n"},
		prompttest.Step{See: "[y/n] ", Type: "y\n"},
	)
	_, err := person.Answer(t.Context(), lookup)
	require.NoError(t, err)
	require.True(t, (<-second).Approve)
	require.Regexp(t, `(?s)answer> .*write_file`, terminal.Screen())
}

func TestProgressKeepsTheOpenQuestionInSight(t *testing.T) {
	t.Parallel()
	var person *prompt.Person
	person, terminal := seat(
		prompttest.Step{See: "answer> ", Do: func() { person.Say("round 2") }},
		prompttest.Step{See: "\r\x1b[Kround 2\nanswer> ", Type: "sunny\n"},
	)
	_, err := person.Answer(t.Context(), lookup)
	require.NoError(t, err)
	person.Say("done")
	require.Contains(t, terminal.Screen(), "answer> done\n")
	require.NotContains(t, terminal.Screen(), "done\nanswer>")
}
