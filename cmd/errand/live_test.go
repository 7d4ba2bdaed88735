package main

import (
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"errand/cmd/errand/prompt/prompttest"
	"errand/starter"
	"errand/test/harness"
	"errand/worker"
	"errand/workflows/contract"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.StopShared()
	os.Exit(code)
}

// place is a server, a task queue and a run id of the test's own and, if there
// is a model, a worker.
type place struct {
	environ []string
	id      string
}

func setUp(t *testing.T, script harness.Script) place {
	t.Helper()
	queue := t.Name() + "-" + rand.Text()[:8]
	p := place{id: strings.ToLower(queue), environ: []string{
		"TEMPORAL_ADDRESS=" + harness.Temporal(t).Address, "TEMPORAL_CONFIG_FILE=/dev/null", "ERRAND_TASK_QUEUE=" + queue, "USER=ada",
		"ERRAND_FILES_ROOT=" + t.TempDir(),
	}}
	if script == nil {
		return p
	}
	a := &app{name: "errand", environ: append(p.environ, "OPENAI_BASE_URL="+harness.StartModel(t, script).URL())}
	config, err := a.workerConfig(worker.Log{})
	require.NoError(t, err)
	c, err := a.connect(t.Context())
	require.NoError(t, err)
	t.Cleanup(c.Close)
	w, err := newWorker(config, c.Client, zap.NewNop())
	require.NoError(t, err)
	require.NoError(t, w.Start(t.Context()))
	t.Cleanup(w.Stop)
	return p
}

func (p place) call(t *testing.T, args ...string) outcome {
	t.Helper()
	return call(t, "errand", p.environ, "", args...)
}

func TestARunPrintsItsTextAndItsProgressApart(t *testing.T) {
	t.Parallel()
	p := setUp(t, harness.Rounds(harness.Calls(
		harness.ToolCall{ID: "call_now", Name: "now", Arguments: "{}"},
		harness.ToolCall{ID: "call_stock", Name: "stock", Arguments: `{"sku":"AB"}`},
		harness.ToolCall{ID: "call_bad", Name: "bad", Arguments: "{}"},
	), harness.Say("12 in stock")))
	got := p.call(t, "run", "in", "stock?", "--tool", "now", "--run-id", p.id,
		"--exec", `stock=/bin/sh -c 'read a; echo "$a $ERRAND_TOOL $ERRAND_KEY"'`, "--exec", `bad=/bin/sh -c 'echo oops >&2; exit 4'`)
	require.Equal(t, exitOK, got.code, got.err)
	require.Equal(t, "12 in stock\n", got.out)
	require.True(t, strings.HasPrefix(got.err, "run "+p.id+"\n"), got.err)
	require.Contains(t, got.err, "→ stock (call_stock), for the client\n")
	require.NotContains(t, got.err, "←")
	require.Contains(t, got.err, "✓ now (call_now) succeeded: ")
	require.Contains(t, got.err, "✗ bad (call_bad) failed: ExecutionFailed, ")
	require.Contains(t, got.err, "run completed after ")

	shown := p.call(t, "show", p.id, "--traces")
	require.Equal(t, exitOK, shown.code, shown.err)
	require.Contains(t, shown.out, p.id+" · completed · gpt-5-mini · 2 rounds\n")
	require.Contains(t, shown.out, `{"sku":"AB"} stock `+p.id+"/1/1\n")
	require.Contains(t, shown.out, "sh failed: exit status 4")
	require.Contains(t, shown.out, "assistant\n  12 in stock\n")
	tailed := p.call(t, "tail", p.id, "--after", "2", "-o", "json")
	require.Equal(t, exitOK, tailed.code, tailed.err)
	require.True(t, strings.HasPrefix(tailed.out, `{"seq":3,`), tailed.out)
	require.Contains(t, p.call(t, "tail", p.id).out, "← result of now (call_now) is item 4\n")
	require.Contains(t, tailed.out, `"type":"run_end"`)

	again := p.call(t, "run", "x", "--run-id", p.id)
	require.Equal(t, exitFailed, again.code)
	require.Contains(t, again.err, "was already started: choose another --run-id")
}

func TestEveryEndHasItsExitCode(t *testing.T) {
	t.Parallel()
	p := setUp(t, harness.Match(
		harness.When("fail", harness.Always(harness.Failure(400, "model_not_found", "no such model"))),
		harness.When("loop", harness.Always(harness.Call("now", "{}"))),
		harness.Otherwise(harness.Always(harness.Say("hello"))),
	))
	loop := file(t, `{"model":"m","input":"loop","tools":[{"type":"platform","name":"now"}],"run":{"max_rounds":2}}`)
	for name, one := range map[string]struct {
		args []string
		code int
		err  string
	}{
		"completed":        {[]string{"run", "hi"}, exitOK, ""},
		"failed":           {[]string{"run", "fail"}, exitFailed, "round 1\nerrand: run failed (ModelRejected): model answered 400 (model_not_found): no such model\n"},
		"incomplete":       {[]string{"run", "--file", loop}, exitIncomplete, "\nerrand: run incomplete: max_rounds\n"},
		"unknown tool":     {[]string{"run", "hi", "--tool", "nosuch"}, exitUsage, "\nerrand: the request has 1 fault:\n  tools[0].name: no platform tool \"nosuch\" is registered"},
		"invalid request":  {[]string{"run", "--file", file(t, `{"input":7}`)}, exitUsage, "errand: the request has 2 faults:\n  model: required: the name of a model\n  input: must be text"},
		"unknown run":      {[]string{"show", "nosuch"}, exitUnknownRun, "errand: no such run: nosuch; list the runs with \"errand ls\"\n"},
		"unknown, tailed":  {[]string{"tail", "nosuch"}, exitUnknownRun, "errand: no such run: nosuch;"},
		"unknown, asked":   {[]string{"answer", "nosuch", "x"}, exitUnknownRun, "errand: no such run: nosuch;"},
		"unknown, watched": {[]string{"attach", "nosuch"}, exitUnknownRun, "errand: no such run: nosuch;"},
		"no namespace":     {[]string{"ls", "--namespace", "nowhere"}, exitUnreachable, `has no namespace "nowhere"`},
	} {
		got := p.call(t, one.args...)
		require.Equal(t, one.code, got.code, "%s: %s", name, got.err)
		require.Contains(t, got.err, one.err, name)
		if one.code == exitUnknownRun {
			require.Equal(t, 1, strings.Count(got.err, "\n"), got.err)
		}
	}
	got := p.call(t, "run", "fail", "-o", "json")
	require.Equal(t, exitFailed, got.code)
	require.Contains(t, got.out, `"status":"failed"`)
	require.Regexp(t, `^\{"error":\{"message":"run failed \(ModelRejected\): .*","type":"ModelRejected","faults":\[\]\}\}\n$`, got.err)
}

func TestJSONEventsComeBeforeTheResult(t *testing.T) {
	t.Parallel()
	p := setUp(t, harness.Always(harness.Say("hello")))
	got := p.call(t, "run", "hi", "-o", "json", "--events")
	require.Equal(t, exitOK, got.code, got.err)
	require.Empty(t, got.err)
	all := strings.Split(strings.TrimSpace(got.out), "\n")
	for _, line := range all[:len(all)-1] {
		var event contract.Event
		require.NoError(t, json.Unmarshal([]byte(line), &event))
		require.NotZero(t, event.Seq)
	}
	var result contract.Result
	require.NoError(t, json.Unmarshal([]byte(all[len(all)-1]), &result))
	require.Equal(t, "hello", result.OutputText)
}

func TestADetachedRunIsAnsweredByOtherCommands(t *testing.T) {
	t.Parallel()
	p := setUp(t, harness.Rounds(harness.Calls(
		harness.ToolCall{ID: "a", Name: "ask", Arguments: `{"n":1}`}, harness.ToolCall{ID: "b", Name: "ask", Arguments: `{"n":2}`},
	), harness.Say("thanks"), harness.Say("and bye")))
	request := file(t, `{"model":"m","input":"go","tools":[{"type":"function","name":"ask"}]}`)
	got := p.call(t, "run", "--detach", "--file", request, "--run-id", p.id, "-o", "json")
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, got.out, `{"run_id":"`+p.id+`"`)
	p.waitForCalls(t, p.id, 2)

	pending := p.call(t, "ls", "--pending")
	require.Contains(t, pending.out, "  ? act_1_0 ask {\"n\":1}\n")
	require.Contains(t, p.call(t, "show", p.id).out, "answer: errand answer "+p.id+" --action act_1_1 'TEXT'\n")
	many := p.call(t, "answer", p.id, "x")
	require.Equal(t, exitUsage, many.code)
	require.Contains(t, many.err, "2 calls are open: choose one with --action: act_1_0 (ask), act_1_1 (ask)")
	require.Equal(t, exitRefused, p.call(t, "answer", p.id, "--call", "c", "x").code)
	require.Equal(t, exitRefused, p.call(t, "approve", p.id).code)
	require.Equal(t, outcome{exitOK, "message queued\n", ""}, p.call(t, "send", p.id, "one", "more", "--follow-up"))
	require.Equal(t, outcome{exitOK, "act_1_0 completed\n", ""}, p.call(t, "answer", p.id, "--action", "act_1_0", "yes"))
	require.Equal(t, outcome{exitOK, "act_1_0 completed (as before)\n", ""}, p.call(t, "answer", p.id, "--call", "a", "yes"))
	other := p.call(t, "answer", p.id, "--call", "a", "no")
	require.Equal(t, exitRefused, other.code)
	require.Contains(t, other.err, "already settled")
	require.Equal(t, outcome{exitOK, "act_1_1 completed\n", ""}, p.call(t, "answer", "last", "only one is left"))
	attached := p.call(t, "attach", p.id)
	require.Equal(t, exitOK, attached.code, attached.err)
	require.Equal(t, "and bye\n", attached.out)
	require.Equal(t, exitRefused, p.call(t, "send", p.id, "too late").code)
}

func TestCancelWaitsForTheEnd(t *testing.T) {
	t.Parallel()
	p := setUp(t, harness.Always(harness.Call("ask", "{}")))
	request := file(t, `{"model":"m","input":"go","tools":[{"type":"function","name":"ask"}]}`)
	require.Equal(t, exitOK, p.call(t, "run", "-d", "--file", request, "--run-id", p.id).code)
	p.waitForCalls(t, p.id, 1)
	require.Equal(t, outcome{exitOK, p.id + " cancelled\n", ""}, p.call(t, "cancel", p.id))
	require.Equal(t, exitRefused, p.call(t, "cancel", p.id).code)
	got := p.call(t, "attach", p.id, "-o", "json")
	require.Equal(t, exitCancelled, got.code)
	require.Contains(t, got.out, `"status":"cancelled"`)
	require.Equal(t, exitCancelled, p.call(t, "tail", p.id).code)
	require.Equal(t, exitOK, p.call(t, "tail", p.id, "--no-follow").code)
}

func TestARunWithoutAWorkerSaysSo(t *testing.T) {
	t.Parallel()
	p := setUp(t, nil)
	require.Equal(t, exitOK, p.call(t, "run", "-d", "hi", "--run-id", p.id).code)
	a := &app{name: "errand", environ: p.environ, flags: globals{output: outputText}}
	c, err := a.connect(t.Context())
	require.NoError(t, err)
	t.Cleanup(c.Close)
	count, err := c.Workers(t.Context())
	require.NoError(t, err)
	require.Zero(t, count)

	run := c.Starter.Attach(p.id)
	s := a.newSession(run, nil)
	s.Watcher = a.watcher(c, 1)
	said := &prompttest.Lines{}
	var once sync.Once
	said.On = func(string) {
		once.Do(func() { require.NoError(t, c.Client.TerminateWorkflow(t.Context(), run.ID(), "", "test")) })
	}
	s.Tell = said.Tell
	_, err = s.Follow(t.Context())
	var closed *starter.ClosedError
	require.ErrorAs(t, err, &closed)
	require.Contains(t, said.Text(), "No worker takes runs from task queue \""+c.Queue+"\": start one with \"errand worker\".")
}

// waitForCalls returns when the run has that many calls open.
func (p place) waitForCalls(t *testing.T, id string, n int) {
	t.Helper()
	a := &app{name: "errand", environ: p.environ}
	c, err := a.connect(t.Context())
	require.NoError(t, err)
	defer c.Close()
	seen := 0
	for event, err := range c.Starter.Attach(id).Follow(t.Context(), 0) {
		require.NoError(t, err)
		if event.Type == contract.EventManifest {
			seen++
		}
		if seen == n {
			return
		}
	}
	require.Failf(t, "the run ended", "%d of %d calls were opened", seen, n)
}

func TestFilesAreReadForMessagesAndAnswers(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "absent")
	got := call(t, "errand", nil, "", "send", "r", "@"+path)
	require.Equal(t, exitUsage, got.code)
	require.Contains(t, got.err, "absent: no such file")
}
