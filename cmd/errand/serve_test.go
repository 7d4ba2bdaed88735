package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/test/harness"
)

// written collects what a command writes while it runs.
type written struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// background is a command that runs until it is stopped.
type background struct {
	out, err written
	stop     context.CancelFunc
	code     chan int
}

func (p place) start(t *testing.T, args ...string) *background {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	b := &background{stop: stop, code: make(chan int, 1)}
	a := newApp("errand")
	a.environ = p.environ
	a.std = streams{in: strings.NewReader(""), out: &b.out, err: &b.err}
	go func() { b.code <- a.execute(ctx, args) }()
	t.Cleanup(stop)
	return b
}

func (b *background) awaits(t *testing.T, stream *written, text string) {
	t.Helper()
	harness.Eventually(t, time.Minute, func() (bool, string) {
		return strings.Contains(stream.String(), text), b.out.String() + b.err.String()
	}, text)
}

// ends stops the command and returns its exit code.
func (b *background) ends(t *testing.T) int {
	t.Helper()
	b.stop()
	select {
	case code := <-b.code:
		return code
	case <-time.After(time.Minute):
		t.Fatal("it did not end")
		return -1
	}
}

func stockAndBad() harness.Script {
	return harness.Rounds(harness.Calls(
		harness.ToolCall{ID: "call_stock", Name: "stock", Arguments: `{"sku":"AB"}`},
		harness.ToolCall{ID: "call_bad", Name: "bad", Arguments: "{}"},
	), harness.Say("12 in stock"))
}

const twoTools = `{"model":"m","input":"in stock?","tools":[{"type":"function","name":"stock"},{"type":"function","name":"bad"}]}`

func TestServeAnswersTheCallsOfAllRuns(t *testing.T) {
	t.Parallel()
	p := setUp(t, stockAndBad())
	request := file(t, twoTools)
	first := p.call(t, "run", "--detach", "--file", request)
	require.Equal(t, exitOK, first.code, first.err)
	b := p.start(t, "serve", "-o", "json", "--exec", `stock=/bin/sh -c 'read a; echo "$a $ERRAND_KEY"'`, "--exec", `bad=/bin/sh -c 'echo oops >&2; exit 4'`)
	b.awaits(t, &b.err, `serving bad, stock for the runs of task queue`)
	second := p.call(t, "run", "--detach", "--file", request)
	for _, run := range []outcome{first, second} {
		id := strings.TrimSpace(run.out)
		got := p.call(t, "attach", id)
		require.Equal(t, exitOK, got.code, got.err)
		require.Equal(t, "12 in stock\n", got.out)
		require.Contains(t, p.call(t, "show", id).out, `{"sku":"AB"} `+id+"/1/0\n")
		harness.Eventually(t, time.Minute, func() (bool, string) {
			return strings.Count(b.out.String(), id) >= 4, b.out.String()
		}, "both calls are reported")
	}
	require.Equal(t, exitOK, b.ends(t))
	require.Contains(t, b.err.String(), "stopped; open calls wait for whoever serves them next")
	status := map[string]int{}
	for line := range strings.Lines(b.out.String()) {
		var one servedCall
		require.NoError(t, json.Unmarshal([]byte(line), &one), line)
		require.NotEmpty(t, one.ToolCallID)
		status[one.Tool+" "+one.Status]++
		require.Equal(t, one.Tool == "bad", strings.Contains(one.Error, "exit status 4"), one.Error)
	}
	require.Equal(t, map[string]int{"stock succeeded": 2, "bad failed": 2}, status)
}

func TestServeLeavesWhatItHasNoProgramFor(t *testing.T) {
	t.Parallel()
	p := setUp(t, stockAndBad())
	run := p.call(t, "run", "--detach", "--file", file(t, twoTools))
	id := strings.TrimSpace(run.out)
	b := p.start(t, "serve", "--exec", "stock=echo 12", "--query", "WorkflowId = '"+id+"'")
	b.awaits(t, &b.err, "✓ stock of "+id+" (act_1_0) succeeded in ")
	require.Contains(t, b.err.String(), "serving stock for the runs that match: WorkflowId = '"+id+"'\n")
	require.Contains(t, p.call(t, "ls", "--pending").out, "bad", "the other one is open")
	require.Equal(t, exitOK, b.ends(t))
	require.Empty(t, b.out.String())

	strict := p.start(t, "serve", "--exec", "stock=echo 12", "--no-handler", "fail")
	strict.awaits(t, &strict.err, `a call waits for the tool "bad", which no --exec answers; it is left open`)
	require.Equal(t, exitFailed, <-strict.code)
	refusing := p.start(t, "serve", "--exec", "stock=echo 12", "--no-handler", "refuse")
	got := p.call(t, "attach", id)
	require.Equal(t, exitOK, got.code, got.err)
	require.Contains(t, p.call(t, "show", id).out, "no handler for 'bad'")
	require.Equal(t, exitOK, refusing.ends(t))
}

func TestServeLetsProgramsFinishWhenItIsStopped(t *testing.T) {
	t.Parallel()
	p := setUp(t, stockAndBad())
	dir := t.TempDir()
	begun, goOn := filepath.Join(dir, "begun"), filepath.Join(dir, "go-on")
	run := p.call(t, "run", "--detach", "--file", file(t, twoTools))
	b := p.start(t, "serve", "--exec", "stock=/bin/sh -c 'touch "+begun+"; while [ ! -e "+goOn+" ]; do sleep 0.05; done; echo 12'")
	exists := func() (bool, string) { _, err := os.Stat(begun); return err == nil, "" }
	harness.Eventually(t, time.Minute, exists, "the program runs")
	b.stop()
	require.NoError(t, os.WriteFile(goOn, nil, 0o600))
	require.Equal(t, exitOK, b.ends(t))
	require.Contains(t, b.err.String(), "succeeded in ")
	shown := p.call(t, "show", strings.TrimSpace(run.out))
	require.NotContains(t, p.call(t, "ls", "--pending").out, "? stock", shown.out)
}

func TestServeSaysWhatIsWrongWithItsFlags(t *testing.T) {
	t.Parallel()
	p := setUp(t, nil)
	for name, one := range map[string]struct {
		args []string
		want string
	}{
		"no program":      {nil, "nothing to serve with: name a program with --exec tool=program"},
		"no such program": {[]string{"--exec", "a=/no/such"}, "/no/such is not a program that can be run"},
		"policy":          {[]string{"--exec", "a=true", "--no-handler", "ignore"}, `--no-handler "ignore": write leave, refuse or fail`},
		"concurrency":     {[]string{"--exec", "a=true", "--concurrency", "0"}, "--concurrency 0: must be at least 1"},
		"per run":         {[]string{"--exec", "a=true", "--per-run", "-1"}, "--per-run -1: must be at least 1"},
		"lease":           {[]string{"--exec", "a=true", "--lease", "10ms"}, "--lease 10ms: must be at least 1s"},
		"query":           {[]string{"--exec", "a=true", "--query", "Colour = 'red'"}, "--query: Temporal refuses it: "},
		"a run":           {[]string{"--exec", "a=true", "last"}, "usage: errand serve --exec name=program"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := p.call(t, append([]string{"serve"}, one.args...)...)
			require.Equal(t, exitUsage, got.code, got.err)
			require.Contains(t, got.err, one.want)
		})
	}
}
