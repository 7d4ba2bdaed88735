package crash

import (
	"context"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"errand/starter"
	"errand/test/harness"
	"errand/test/world"
	"errand/workflows/contract"
)

const (
	// patience bounds one trial. The longest wait in it is that for a lost
	// heartbeat, some of them in a row.
	patience = 3 * time.Minute
	// again paces what is tried until it succeeds.
	again = 200 * time.Millisecond
)

var workerReady = regexp.MustCompile(`(?i)worker (has )?started|taking runs|started worker`)

// trial is one play of the scenario: a world, a model, a task queue, a worker
// process and a client of its own.
type trial struct {
	t       testing.TB
	ctx     context.Context
	site    *site
	env     []string
	options starter.RunOptions
	queue   string
	world   *world.World
	model   *harness.ScriptedModel
	starter *starter.Starter
	run     *starter.Run
	// desk is closed when the client may answer; nil: it answers at once.
	desk chan struct{}
	// first is the run's first execution; a reset makes more of them.
	first   string
	workers []*harness.Process
	struck  map[string]harm
	points  points

	// ended is closed when the run has ended: result and err say how.
	ended  chan struct{}
	result *contract.Result
	err    error
	client sync.WaitGroup

	// reached is set when the moment of the trial came before the run's end.
	reached bool
	// reset is set when the run has gone back in its history.
	reset bool
	told  told
	verdict
}

// told is what the client was told while the run went on.
type told struct {
	mu      sync.Mutex
	events  []contract.Event
	refused []string
}

func newTrial(t testing.TB, s *site, env ...string) *trial {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	tr := &trial{
		t: t, ctx: ctx, site: s, env: env, queue: "crash-" + ulid.Make().String(),
		world: world.Start(t), ended: make(chan struct{}), struck: map[string]harm{},
	}
	tr.world.Pace(effectTakes)
	tr.world.Watch(func(e world.Effect, phase world.Phase) {
		switch phase {
		case world.Arrives:
			tr.points.pass(arrives)
			tr.points.pass(arrives + " " + e.Tool)
		case world.Answered:
			tr.points.pass(answered)
		}
	})
	say := script()
	tr.model = harness.StartModel(t, func(d harness.Decoded) harness.Answer {
		tr.points.pass(asked)
		return say(d)
	})
	tr.starter = starter.New(s.client, starter.TaskQueue(tr.queue))
	return tr
}

// worker starts one more worker process and waits until it takes runs.
func (tr *trial) worker() *harness.Process {
	tr.t.Helper()
	p := harness.StartProcess(tr.t, harness.Command{
		Path: harness.Build(tr.t, "./test/toolworker"),
		Env: append([]string{
			"TEMPORAL_ADDRESS=" + tr.site.address, "ERRAND_TASK_QUEUE=" + tr.queue, "WORLD_URL=" + tr.world.URL,
			"OPENAI_BASE_URL=" + tr.model.URL(), "ERRAND_LOG_FORMAT=console", "ERRAND_FILES_ROOT=" + tr.t.TempDir(),
		}, tr.env...),
	})
	p.WaitForMatch(tr.t, workerReady, patience)
	tr.workers = append(tr.workers, p)
	return p
}

// start starts the run and its client.
func (tr *trial) start() {
	tr.t.Helper()
	run, err := tr.starter.Start(tr.ctx, request(tr.options))
	require.NoError(tr.t, err)
	tr.follow(run)
}

// startWithin starts the run with an execution time-out, which the starter
// would not give it.
func (tr *trial) startWithin(limit time.Duration) {
	tr.t.Helper()
	id := "run_" + ulid.Make().String()
	_, err := tr.site.client.ExecuteWorkflow(tr.ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: tr.queue, WorkflowExecutionTimeout: limit,
	}, contract.TypeRun, request(tr.options))
	require.NoError(tr.t, err)
	tr.follow(tr.starter.Attach(id))
}

func (tr *trial) follow(run *starter.Run) {
	tr.t.Helper()
	tr.run = run
	tr.first = tr.execution()
	tr.client.Go(tr.serve)
	go func() {
		tr.result, tr.err = run.Result(tr.ctx)
		close(tr.ended)
	}()
}

// execution is the id of the run's newest execution.
func (tr *trial) execution() string {
	tr.t.Helper()
	found, err := tr.site.client.DescribeWorkflow(tr.ctx, tr.run.ID(), "")
	require.NoError(tr.t, err)
	return found.WorkflowExecution.RunID
}

// wait waits for the end of the run and of its client. A run that does not end
// is the worst violation of all.
func (tr *trial) wait() bool {
	select {
	case <-tr.ended:
	case <-tr.ctx.Done():
		tr.violate(endsInTime, "the run has not ended within %s: %s", patience, tr.lastEvents())
		return false
	}
	tr.client.Wait()
	return true
}
