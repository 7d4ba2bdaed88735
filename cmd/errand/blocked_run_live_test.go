package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/cmd/errand/diagnose"
	"errand/cmd/errand/prompt/prompttest"
	"errand/test/harness"
	"errand/workflows/contract"
)

func TestARunThatIsHeldUpSaysWhy(t *testing.T) {
	t.Parallel()
	p := setUp(t, harness.Always(harness.Failure(503, "overloaded", "busy")))
	require.Equal(t, exitOK, p.call(t, "run", "-d", "hi", "--run-id", p.id).code)
	a := &app{name: "errand", environ: p.environ, flags: globals{output: outputText}}
	c, err := a.connect(t.Context())
	require.NoError(t, err)
	t.Cleanup(c.Close)
	run := c.Starter.Attach(p.id)
	s := a.newSession(run, nil)
	s.Watcher = a.runWatcher(c, p.id)
	s.Watcher.Delay = time.Millisecond
	said := &prompttest.Lines{}
	var once sync.Once
	said.On = func(line string) {
		if strings.Contains(line, "the model") {
			once.Do(func() { require.NoError(t, run.Cancel(t.Context())) })
		}
	}
	s.Tell = said.Tell
	result, err := s.Follow(t.Context())
	require.NoError(t, err)
	require.Equal(t, contract.Cancelled, result.Status)
	require.Regexp(t, `(?m)^  … the model refuses for now \(attempt \d+ of 10\): 503 \(overloaded\): busy; it is tried again$`, said.Text())

	a.flags.output = outputJSON
	require.Nil(t, a.runWatcher(c, p.id).Causes, "scripts are spared")
}

func TestAnActivityGoesByItsSummary(t *testing.T) {
	t.Parallel()
	p := setUp(t, harness.Rounds(harness.Call("now", "{}"), harness.Say("late")))
	require.Equal(t, exitOK, p.call(t, "run", "hi", "--tool", "now", "--run-id", p.id).code)
	a := &app{name: "errand", environ: p.environ}
	c, err := a.connect(t.Context())
	require.NoError(t, err)
	t.Cleanup(c.Close)
	found, err := c.Client.DescribeWorkflow(t.Context(), p.id, "")
	require.NoError(t, err)
	require.Equal(t, "round 1 · now {}", diagnose.Summary(t.Context(), c.Client, c.Namespace, found.RawResponse, "1/0/execute"))
	require.Equal(t, "activity 7/7/execute", diagnose.Summary(t.Context(), c.Client, c.Namespace, found.RawResponse, "7/7/execute"))
}

func TestARunThatWasClosedFromOutsideIsShownAndFails(t *testing.T) {
	t.Parallel()
	p := setUp(t, harness.Always(harness.Call("ask", "{}")))
	request := file(t, `{"model":"m","input":"go","tools":[{"type":"function","name":"ask"}]}`)
	require.Equal(t, exitOK, p.call(t, "run", "-d", "--file", request, "--run-id", p.id).code)
	p.waitForCalls(t, p.id, 1)
	a := &app{name: "errand", environ: p.environ}
	c, err := a.connect(t.Context())
	require.NoError(t, err)
	t.Cleanup(c.Close)
	require.NoError(t, c.Client.TerminateWorkflow(t.Context(), p.id, "", "test"))

	const told = "errand: run terminated: it was closed from outside and has no result\n"
	shown := p.call(t, "show", p.id)
	require.Equal(t, exitFailed, shown.code)
	require.True(t, strings.HasPrefix(shown.out, p.id+" · terminated · 1 round\n"), shown.out)
	require.NotContains(t, shown.out, "answer:")
	require.Equal(t, told, shown.err)
	shown = p.call(t, "show", p.id, "-o", "json")
	require.Equal(t, exitFailed, shown.code)
	require.Contains(t, shown.out, `"status":"terminated"`)
	for _, command := range []string{"attach", "tail"} {
		got := p.call(t, command, p.id)
		require.Equal(t, exitFailed, got.code)
		require.Contains(t, got.err, told, command)
	}
	require.Equal(t, exitRefused, p.call(t, "cancel", p.id).code)
}

func TestDevTellsOfOtherWorkers(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]harness.Script{"one": harness.Always(harness.Say("hello")), "none": nil} {
		p := setUp(t, script)
		if script != nil { // once a run has ended, its worker has asked for work
			require.Equal(t, exitOK, p.call(t, "run", "hi").code)
		}
		var err strings.Builder
		a := &app{name: "errand", environ: p.environ, std: streams{err: &err}, flags: globals{output: outputText}}
		c, failed := a.connect(t.Context())
		require.NoError(t, failed)
		t.Cleanup(c.Close)
		a.warnOfWorkers(t.Context(), c)
		if script == nil {
			require.Empty(t, err.String(), name)
			continue
		}
		require.Regexp(t, `^warning: task queue "\S+" has 1 worker already, or had a minute ago \(\d+@.+\): runs may go there, to other models and tools\n$`, err.String())
	}
}

// TestARunWhoseOwnCodeFailsIsNotSaidToLackAWorker: there is one, and its log says
// why it cannot go on.
func TestARunWhoseOwnCodeFailsIsNotSaidToLackAWorker(t *testing.T) {
	t.Parallel()
	p := setUp(t, nil)
	a := &app{name: "errand", environ: p.environ}
	c, err := a.connect(t.Context())
	require.NoError(t, err)
	t.Cleanup(c.Close)
	w := sdkworker.New(c.Client, c.Queue, sdkworker.Options{})
	w.RegisterWorkflowWithOptions(func(workflow.Context) error { panic("a fault in the code") }, workflow.RegisterOptions{Name: contract.TypeRun})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	_, err = c.Client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: p.id, TaskQueue: c.Queue}, contract.TypeRun)
	require.NoError(t, err)
	harness.Eventually(t, 2*time.Minute, func() (bool, string) {
		found, err := c.Client.DescribeWorkflow(t.Context(), p.id, "")
		return err == nil && found.RawResponse.GetPendingWorkflowTask().GetAttempt() > diagnose.TaskAttempts, fmt.Sprint(err)
	}, "its workflow task has failed again and again")
	shown := p.call(t, "show", p.id)
	require.Equal(t, exitUnreachable, shown.code)
	require.Regexp(t, `run `+p.id+` does not reply: its workflow task fails \(attempt \d+\): see the worker's log`, shown.err)
	require.NotContains(t, shown.err, "no worker replies")
}
