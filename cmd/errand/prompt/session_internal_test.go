package prompt

import (
	"encoding/json"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/diagnose"
	"errand/cmd/errand/program"
	"errand/cmd/errand/prompt/prompttest"
	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

// alone is a session without anybody at a terminal.
func alone(run Run, all program.Set) (*Session, *prompttest.Lines, chan os.Signal) {
	said, signals := &prompttest.Lines{}, make(chan os.Signal, 4)
	return &Session{
		Run: run, Programs: all, Watcher: &diagnose.Watcher{}, Signals: signals, Tell: said.Tell,
		Commands: Commands{Name: "errand", Flags: " --address x:1", Run: "run_1", Actor: "ada"},
	}, said, signals
}

// attended is a session with a person who follows the steps.
func attended(run Run, all program.Set, steps ...prompttest.Step) (*Session, *prompttest.Terminal, chan os.Signal) {
	s, _, signals := alone(run, all)
	terminal := prompttest.New(steps...)
	s.Person = NewPerson(terminal, terminal, show.Paint{})
	s.Tell = s.Person.Say
	return s, terminal, signals
}

func TestAPersonAnswersCallsAndApprovalsInOrder(t *testing.T) {
	t.Parallel()
	run := newFakeRun().call("lookup", `{"city":"Oslo"}`).call("weather", `{}`).approval("apr_1_2", "write_file").approval("apr_1_3", "delete")
	s, terminal, _ := attended(
		run, nil,
		prompttest.Step{See: "lookup (call_0)", Type: ""},
		prompttest.Step{See: "answer> ", Type: "found\n"},
		prompttest.Step{See: "weather (call_1)", Type: ""},
		prompttest.Step{See: "answer> ", Type: "!no data\n"},
		prompttest.Step{See: "approve? [y/n] ", Type: "y\n"},
		prompttest.Step{See: "approve? [y/n] ", Type: "n too risky\n"},
	)
	result, err := s.Follow(t.Context())
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	require.Len(t, run.answers, 2)
	require.JSONEq(t, `{"action_id":"act_1_0","output":"found"}`, encoded(t, run.answers[0]))
	require.JSONEq(t, `{"action_id":"act_1_1","is_error":true,
		"output":"{\"error\":\"no data\",\"type\":\"ExecutionFailed\"}"}`, encoded(t, run.answers[1]))
	require.JSONEq(t, `{"approval_request_id":"apr_1_2","approve":true,"actor":"ada"}`, encoded(t, run.approvals[0]))
	require.JSONEq(t, `{"approval_request_id":"apr_1_3","approve":false,"reason":"too risky","actor":"ada"}`, encoded(t, run.approvals[1]))
	require.Contains(t, terminal.Screen(), `{"city":"Oslo"}`)
}

func TestProgramsAnswerTheirCallsAndAPersonTheRest(t *testing.T) {
	t.Parallel()
	all, err := program.Parse([]string{`lookup=/bin/sh -c 'read x; echo "$x $ERRAND_KEY"'`})
	require.NoError(t, err)
	run := newFakeRun().call("lookup", `{"city":"Oslo"}`).call("weather", `{}`)
	s, terminal, _ := attended(run, all, prompttest.Step{See: "answer> ", Type: "rain\n"})
	_, err = s.Follow(t.Context())
	require.NoError(t, err)
	byAction := map[string]string{}
	for _, a := range run.answers {
		byAction[a.ActionID] = string(a.Output)
	}
	require.Equal(t, map[string]string{"act_1_0": `"{\"city\":\"Oslo\"} run_1/1/0"`, "act_1_1": `"rain"`}, byAction)
	require.NotContains(t, terminal.Screen(), "lookup (call_0) asks you")
}

func TestWithoutATerminalTheSessionSaysHowToAnswerAndWaits(t *testing.T) {
	t.Parallel()
	run := newFakeRun().call("lookup", `{"city":"Oslo"}`).approval("apr_1_1", "write_file")
	s, said, _ := alone(run, nil)
	said.On = func(line string) {
		if strings.Contains(line, "approval") {
			go run.elsewhere()
		}
	}
	result, err := s.Follow(t.Context())
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	require.Equal(t, "? lookup waits for an answer: errand answer run_1 --action act_1_0 'TEXT' --address x:1\n"+
		"  {\"city\":\"Oslo\"}\n"+
		"? write_file waits for approval: errand approve run_1 apr_1_1 --address x:1\n"+
		"  {}", said.Text())
	require.Empty(t, run.answers)
}

func TestACallThatIsSettledElsewhereIsAskedNoLonger(t *testing.T) {
	t.Parallel()
	run := newFakeRun().call("lookup", `{}`).approval("apr_1_1", "write_file")
	settle := func() {
		run.mu.Lock()
		run.report.Actions = nil
		run.settled("call_0")
		run.mu.Unlock()
	}
	s, terminal, _ := attended(
		run, nil,
		prompttest.Step{See: "answer> ", Do: settle},
		prompttest.Step{See: "act_1_0 was settled elsewhere", Type: ""},
		prompttest.Step{See: "approve? [y/n] ", Type: "y\n"},
	)
	_, err := s.Follow(t.Context())
	require.NoError(t, err)
	require.Empty(t, run.answers)
	require.Len(t, run.approvals, 1)
	require.Contains(t, terminal.Screen(), "settled elsewhere")
}

func TestARefusedAnswerIsToldAndNotAskedAgain(t *testing.T) {
	t.Parallel()
	run := newFakeRun().call("lookup", `{}`)
	run.refuse = &starter.RefusedError{Reason: "already settled"}
	s, terminal, _ := attended(
		run, nil,
		prompttest.Step{See: "answer> ", Type: "late\n"},
		prompttest.Step{See: "not taken: refused: already settled", Do: run.elsewhere},
	)
	_, err := s.Follow(t.Context())
	require.NoError(t, err)
	require.Len(t, run.answers, 1)
	require.Contains(t, terminal.Screen(), "already settled")
}

func TestSignalsWithoutATerminalDetach(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		run := newFakeRun().call("lookup", `{}`)
		s, said, signals := alone(run, nil)
		said.On = func(string) { signals <- signal }
		_, err := s.Follow(t.Context())
		var detached *DetachedError
		require.ErrorAs(t, err, &detached)
		require.Equal(t, "run_1", detached.RunID)
		require.Equal(t, contract.PendingAction, run.report.Status, "the run is left alone")
	}
}

func TestDetachingKillsTheProgramsAndLeavesTheirCallsOpen(t *testing.T) {
	t.Parallel()
	ready := t.TempDir() + "/ready"
	require.NoError(t, syscall.Mkfifo(ready, 0o600))
	all, err := program.Parse([]string{`lookup=/bin/sh -c 'echo up > ` + ready + `; sleep 600'`})
	require.NoError(t, err)
	run := newFakeRun().call("lookup", `{}`)
	s, _, signals := alone(run, all)
	go func() {
		if _, err := os.ReadFile(ready); err == nil {
			signals <- syscall.SIGTERM
		}
	}()
	_, err = s.Follow(t.Context())
	var detached *DetachedError
	require.ErrorAs(t, err, &detached)
	require.Empty(t, run.answers)
}

func TestCtrlCAsksAPersonWhatToDo(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		typed string
		again bool
		check func(*testing.T, *contract.Result, error)
	}{
		"cancel": {typed: "c\n", check: func(t *testing.T, result *contract.Result, err error) {
			require.NoError(t, err)
			require.Equal(t, contract.Cancelled, result.Status)
		}},
		"detach": {typed: "d\n", check: func(t *testing.T, _ *contract.Result, err error) {
			require.ErrorAs(t, err, new(*DetachedError))
		}},
		"a second Ctrl-C": {again: true, check: func(t *testing.T, _ *contract.Result, err error) {
			require.ErrorAs(t, err, new(*DetachedError))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var signals chan os.Signal
			interrupt := func() { signals <- os.Interrupt }
			second := prompttest.Step{See: "keep watching: ", Type: one.typed}
			if one.again {
				second.Do = interrupt
			}
			var s *Session
			s, _, signals = attended(newFakeRun().call("lookup", `{}`), nil, prompttest.Step{See: "answer> ", Do: interrupt}, second)
			result, err := s.Follow(t.Context())
			one.check(t, result, err)
		})
	}
}

func TestCtrlCMayChangeNothing(t *testing.T) {
	t.Parallel()
	var signals chan os.Signal
	run := newFakeRun().call("lookup", `{}`)
	s, _, signals := attended(
		run, nil,
		prompttest.Step{See: "answer> ", Do: func() { signals <- os.Interrupt }},
		prompttest.Step{See: "keep watching: ", Type: "\n"},
		prompttest.Step{See: "answer> ", Type: "found\n"},
	)
	result, err := s.Follow(t.Context())
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	require.Len(t, run.answers, 1)
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}
