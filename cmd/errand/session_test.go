package main

import (
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/ask"
	"errand/cmd/errand/ask/asktest"
	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

// told collects what a session says.
type told struct {
	mu    sync.Mutex
	lines []string
	// on is called with every line.
	on func(string)
}

func (c *told) tell(line string) {
	c.mu.Lock()
	c.lines = append(c.lines, line)
	c.mu.Unlock()
	if c.on != nil {
		c.on(line)
	}
}

func (c *told) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.lines, "\n")
}

// alone is a session without anybody at a terminal.
func alone(run followed, all programs) (*session, *told, chan os.Signal) {
	said, signals := &told{}, make(chan os.Signal, 4)
	return &session{
		run: run, programs: all, idle: &idle{}, signals: signals, tell: said.tell,
		hints: hints{name: "errand", where: " --address x:1", run: "run_1", actor: "ada"},
	}, said, signals
}

// attended is a session with a person who follows the steps.
func attended(run followed, all programs, steps ...asktest.Step) (*session, *asktest.Terminal, chan os.Signal) {
	s, _, signals := alone(run, all)
	terminal := asktest.New(steps...)
	s.person = ask.NewPerson(terminal, terminal, show.Paint{})
	s.tell = s.person.Say
	return s, terminal, signals
}

func TestAPersonAnswersCallsAndApprovalsInOrder(t *testing.T) {
	t.Parallel()
	run := newFakeRun().call("lookup", `{"city":"Oslo"}`).call("weather", `{}`).approval("apr_1_2", "write_file").approval("apr_1_3", "delete")
	s, terminal, _ := attended(
		run, nil,
		asktest.Step{See: "lookup (call_0)", Type: ""},
		asktest.Step{See: "answer> ", Type: "found\n"},
		asktest.Step{See: "weather (call_1)", Type: ""},
		asktest.Step{See: "answer> ", Type: "!no data\n"},
		asktest.Step{See: "approve? [y/n] ", Type: "y\n"},
		asktest.Step{See: "approve? [y/n] ", Type: "n too risky\n"},
	)
	result, err := s.accompany(t.Context())
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
	all, err := parsePrograms([]string{`lookup=/bin/sh -c 'read x; echo "$x $ERRAND_KEY"'`})
	require.NoError(t, err)
	run := newFakeRun().call("lookup", `{"city":"Oslo"}`).call("weather", `{}`)
	s, terminal, _ := attended(run, all, asktest.Step{See: "answer> ", Type: "rain\n"})
	_, err = s.accompany(t.Context())
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
	said.on = func(line string) {
		if strings.Contains(line, "approval") {
			go run.elsewhere()
		}
	}
	result, err := s.accompany(t.Context())
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	require.Equal(t, "? lookup waits for an answer: errand answer run_1 --action act_1_0 'TEXT' --address x:1\n"+
		"  {\"city\":\"Oslo\"}\n"+
		"? write_file waits for approval: errand approve run_1 apr_1_1 --address x:1\n"+
		"  {}", said.text())
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
		asktest.Step{See: "answer> ", Do: settle},
		asktest.Step{See: "act_1_0 was settled elsewhere", Type: ""},
		asktest.Step{See: "approve? [y/n] ", Type: "y\n"},
	)
	_, err := s.accompany(t.Context())
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
		asktest.Step{See: "answer> ", Type: "late\n"},
		asktest.Step{See: "not taken: refused: already settled", Do: run.elsewhere},
	)
	_, err := s.accompany(t.Context())
	require.NoError(t, err)
	require.Len(t, run.answers, 1)
	require.Contains(t, terminal.Screen(), "already settled")
}

func TestSignalsWithoutATerminalDetach(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		run := newFakeRun().call("lookup", `{}`)
		s, said, signals := alone(run, nil)
		said.on = func(string) { signals <- signal }
		_, err := s.accompany(t.Context())
		var detached *detachedError
		require.ErrorAs(t, err, &detached)
		require.Equal(t, "run_1", detached.runID)
		require.Equal(t, contract.PendingAction, run.report.Status, "the run is left alone")
	}
}

func TestDetachingKillsTheProgramsAndLeavesTheirCallsOpen(t *testing.T) {
	t.Parallel()
	ready := t.TempDir() + "/ready"
	require.NoError(t, syscall.Mkfifo(ready, 0o600))
	all, err := parsePrograms([]string{`lookup=/bin/sh -c 'echo up > ` + ready + `; sleep 600'`})
	require.NoError(t, err)
	run := newFakeRun().call("lookup", `{}`)
	s, _, signals := alone(run, all)
	go func() {
		if _, err := os.ReadFile(ready); err == nil {
			signals <- syscall.SIGTERM
		}
	}()
	_, err = s.accompany(t.Context())
	var detached *detachedError
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
			require.ErrorAs(t, err, new(*detachedError))
		}},
		"a second Ctrl-C": {again: true, check: func(t *testing.T, _ *contract.Result, err error) {
			require.ErrorAs(t, err, new(*detachedError))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var signals chan os.Signal
			interrupt := func() { signals <- os.Interrupt }
			second := asktest.Step{See: "keep watching: ", Type: one.typed}
			if one.again {
				second.Do = interrupt
			}
			var s *session
			s, _, signals = attended(newFakeRun().call("lookup", `{}`), nil, asktest.Step{See: "answer> ", Do: interrupt}, second)
			result, err := s.accompany(t.Context())
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
		asktest.Step{See: "answer> ", Do: func() { signals <- os.Interrupt }},
		asktest.Step{See: "keep watching: ", Type: "\n"},
		asktest.Step{See: "answer> ", Type: "found\n"},
	)
	result, err := s.accompany(t.Context())
	require.NoError(t, err)
	require.Equal(t, contract.Completed, result.Status)
	require.Len(t, run.answers, 1)
}
