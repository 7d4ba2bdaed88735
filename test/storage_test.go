package test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"errand/starter"
	"errand/storage"
	"errand/storage/s3"
	"errand/test/bucket"
	"errand/test/harness"
	"errand/test/world"
	"errand/tools/item"
	"errand/worker"
	"errand/workflows/contract"
)

const mib = 1 << 20

// fakeCredentials are taken by the S3 server of the tests. They are those of this
// process too: nothing else here reads them.
var fakeCredentials = []string{
	"AWS_ACCESS_KEY_ID=AKIATESTONLY", "AWS_SECRET_ACCESS_KEY=secret-of-this-test",
	"AWS_CONFIG_FILE=/nonexistent", "AWS_SHARED_CREDENTIALS_FILE=/nonexistent", "AWS_EC2_METADATA_DISABLED=true",
}

// stored is a place for payloads: how clients and workers are told of it, and what
// is in it.
type stored struct {
	config  storage.Config
	environ []string
	objects func() []string
	bucket  *bucket.Bucket // nil for a directory
}

func inDirectory(t *testing.T) stored {
	root := filepath.Join(t.TempDir(), "payloads")
	return stored{
		config:  storage.Config{Driver: storage.DriverDirectory, Directory: root},
		environ: []string{"ERRAND_STORAGE_DRIVER=directory", "ERRAND_STORAGE_DIRECTORY=" + root},
		objects: func() []string {
			found, err := filepath.Glob(filepath.Join(root, "*", "*", "*"))
			require.NoError(t, err)
			return found
		},
	}
}

func inBucket(t *testing.T) stored {
	for _, variable := range fakeCredentials {
		name, value, _ := strings.Cut(variable, "=")
		require.NoError(t, os.Setenv(name, value)) //nolint:usetesting // t.Setenv does not go with t.Parallel
	}
	b := bucket.Start(t)
	return stored{
		config: storage.Config{Driver: storage.DriverS3, S3: s3.Config{Bucket: b.Name, Prefix: "errand/", Endpoint: b.Endpoint, PathStyle: true}},
		environ: append([]string{
			"ERRAND_STORAGE_DRIVER=s3", "ERRAND_STORAGE_S3_BUCKET=" + b.Name, "ERRAND_STORAGE_S3_PREFIX=errand/",
			"ERRAND_STORAGE_S3_ENDPOINT=" + b.Endpoint, "ERRAND_STORAGE_S3_PATH_STYLE=true",
		}, fakeCredentials...),
		objects: b.Keys, bucket: b,
	}
}

// reader is a client of this storage.
func (p stored) reader(s *stage) *starter.Starter {
	s.t.Helper()
	external, err := storage.Open(s.t.Context(), p.config)
	require.NoError(s.t, err)
	connected, err := client.Dial(client.Options{HostPort: s.server, Logger: worker.TemporalLogger(zap.NewNop()), ExternalStorage: external})
	require.NoError(s.t, err)
	s.t.Cleanup(connected.Close)
	return starter.New(connected, starter.TaskQueue(s.queue), starter.LargeAnswers(p.config.OutputLimit()))
}

// fills calls fill once for each size, in one round.
func fills(sizes ...int) harness.Answer {
	var all []harness.ToolCall
	for i, size := range sizes {
		all = append(all, harness.ToolCall{ID: fmt.Sprintf("f%d", i), Name: "fill", Arguments: fmt.Sprintf(`{"seed":%d,"bytes":%d}`, i, size)})
	}
	return harness.Calls(all...)
}

// historySize is what the server keeps of a run.
func (s *stage) historySize(runID string) int64 {
	s.t.Helper()
	described, err := s.client.DescribeWorkflow(s.t.Context(), runID, "")
	require.NoError(s.t, err)
	return described.RawResponse.GetWorkflowExecutionInfo().GetHistorySizeBytes()
}

// outputsOf are those in the conversation of a run.
func outputsOf(ctx context.Context, t *testing.T, run *starter.Run) []string {
	t.Helper()
	var all []string
	for it, err := range run.Conversation(ctx) {
		require.NoError(t, err)
		var o struct{ Type, Output string }
		require.NoError(t, json.Unmarshal(it, &o))
		if o.Type == item.TypeFunctionCallOutput {
			all = append(all, o.Output)
		}
	}
	return all
}

// TestOutputsOfMegabytesAreKeptOutsideOfHistory: they come back whole, to the
// model, to clients and to a worker that takes the run over after a kill; a client
// without the storage is told what it lacks.
func TestOutputsOfMegabytesAreKeptOutsideOfHistory(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(*testing.T) stored{"directory": inDirectory, "s3": inBucket} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := place(t)
			harness.BuildErrand(t) // which takes its time
			s := newCrashStage(t, harness.Rounds(
				fills(2*mib, 4*mib), harness.Calls(harness.ToolCall{ID: "l", Name: "look", Arguments: `{}`}),
				harness.Calls(harness.ToolCall{ID: "a", Name: "ask", Arguments: `{}`}), harness.Say("done")))
			ctx := within(t)
			s.world.Hold("look")
			first := s.startWorker(p.environ...)
			runs := p.reader(s.stage)
			run, err := runs.Start(ctx, starter.Request{
				Model: "m", Input: "go", Tools: []starter.Tool{starter.Platform("fill"), starter.Platform("look"), starter.Function("ask", "", nil)},
			})
			require.NoError(t, err)
			harness.Eventually(t, patience, func() (bool, string) { return len(s.world.Arrived("look")) > 0, "" }, "the second round")
			first.Kill9()
			s.world.Release("look")
			s.startWorker(p.environ...)
			pendingAction(t, run)
			s.answerWith(p, run, world.Noise(7, 3*mib/2))
			ctx = within(t)
			result, err := run.Result(ctx)
			require.NoError(t, err)
			require.Equal(t, "done", result.OutputText)
			require.Empty(t, result.Run.Warnings)

			want := []string{world.Noise(0, 2*mib), world.Noise(1, 4*mib), world.Noise(7, 3*mib/2)}
			outputs := outputsOf(ctx, t, run)
			require.Len(t, outputs, 4)
			for i, at := range []int{0, 1, 3} {
				requireSame(t, want[i], outputs[at])
			}
			s.requireToldWhole(1, want[0], want[1])
			s.requireToldWhole(3, want[2])
			size := s.historySize(run.ID())
			t.Logf("%s: %d bytes of outputs, %d bytes of history, %d objects", name, 15*mib/2, size, len(p.objects()))
			require.Less(t, size, int64(40_000))
			require.GreaterOrEqual(t, len(p.objects()), 3)
			s.requireClearWords(run.ID(), p)
		})
	}
}

// answerWith answers the third round's call: with the command where the storage is
// a directory, else with a client.
func (s *crashStage) answerWith(p stored, run *starter.Run, text string) {
	t, action := s.t, contract.ActionID(3, 0)
	t.Helper()
	if p.bucket != nil {
		_, err := run.Answer(within(t), starter.Output(action, text))
		require.NoError(t, err)
		return
	}
	file := filepath.Join(t.TempDir(), "answer")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	code, _, errs := s.errand(nil, "answer", run.ID(), "--action", action, "@"+file)
	require.Equal(t, 2, code, "without the storage it is too large")
	require.Contains(t, errs, "at most 1048576 are taken")
	code, out, errs := s.errand(p.environ, "answer", run.ID(), "--action", action, "@"+file)
	require.Equal(t, 0, code, out+errs)
}

// requireSame compares texts that nobody wants to see when they differ.
func requireSame(t *testing.T, want, got string) {
	t.Helper()
	if want != got {
		require.Fail(t, "another text", "it has %d bytes, wanted are %d; it begins with %.100q", len(got), len(want), got)
	}
}

// requireToldWhole holds the newest outputs of a request to the model against what
// they should be.
func (s *stage) requireToldWhole(request int, want ...string) {
	s.t.Helper()
	decoded, err := harness.Decode(s.model.Requests()[request])
	require.NoError(s.t, err)
	outputs := decoded.Outputs()
	require.Len(s.t, outputs, len(want))
	for i := range want {
		requireSame(s.t, want[i], outputs[i].Output)
	}
}

// requireClearWords reads a run without its storage and with it.
func (s *crashStage) requireClearWords(runID string, p stored) {
	t := s.t
	t.Helper()
	_, err := collectItems(within(t), s.starter.Attach(runID))
	require.ErrorIs(t, err, starter.ErrStorage, "a client of the SDK alone")
	require.ErrorContains(t, err, "TMPRL1105")

	code, out, errs := s.errand(nil, "show", runID)
	require.Equal(t, 1, code)
	require.Empty(t, out)
	require.Contains(t, errs, "is in external storage")
	require.Contains(t, errs, "is not configured here: set storage.")
	code, out, errs = s.errand(p.environ, "show", runID, "-o", "json")
	require.Equal(t, 0, code, errs)
	require.Contains(t, out, world.Noise(1, 4*mib))
	code, out, errs = s.errand(p.environ, "replay", runID)
	require.Equal(t, 0, code, out+errs)
	require.Contains(t, out, "yes")
	code, _, errs = s.errand(p.environ, "tail", runID)
	require.Equal(t, 0, code, errs)
}

func collectItems(ctx context.Context, run *starter.Run) (all []json.RawMessage, err error) {
	for it, err := range run.Conversation(ctx) {
		if err != nil {
			return all, err
		}
		all = append(all, it)
	}
	return all, nil
}

// errand runs the command on this stage.
func (s *stage) errand(environ []string, args ...string) (code int, out, errs string) {
	s.t.Helper()
	p := harness.StartProcess(s.t, harness.Command{
		Path: harness.BuildErrand(s.t), Args: args,
		Env: append([]string{"TEMPORAL_ADDRESS=" + s.server, "ERRAND_TASK_QUEUE=" + s.queue, "TEMPORAL_CONFIG_FILE=/nonexistent"}, environ...),
	})
	code = p.Wait(s.t, patience)
	return code, p.Stdout(), p.Stderr()
}

// TestARunWithAStorageContinues: also with more in its conversation than an
// argument of an execution takes.
func TestARunWithAStorageContinues(t *testing.T) {
	t.Parallel()
	const large = 13 * mib / 4 // four of them are more than a state has without a storage
	p := inDirectory(t)
	s := newCrashStage(t, harness.Rounds(fills(large), fills(large, large), fills(large), harness.Say("done")))
	s.startWorker(p.environ...)
	ctx := within(t)
	run, err := p.reader(s.stage).Start(ctx, starter.Request{
		Model: "m", Input: "go", Tools: []starter.Tool{starter.Platform("fill")}, Run: starter.RunOptions{ContinueAfterEvents: 1},
	})
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, "done", result.OutputText)
	outputs := outputsOf(ctx, t, run)
	require.Len(t, outputs, 4)
	for i, seed := range []int{0, 0, 1, 0} {
		requireSame(t, world.Noise(seed, large), outputs[i])
	}
	described, err := s.client.DescribeWorkflow(ctx, run.ID(), "")
	require.NoError(t, err)
	info := described.RawResponse.GetWorkflowExecutionInfo()
	require.NotEqual(t, info.GetFirstRunId(), info.GetExecution().GetRunId(), "it has continued")
	require.Less(t, info.GetHistorySizeBytes(), int64(40_000))
}

// TestAWorkerWithoutTheStorageSaysSo, and another one goes on with the run.
func TestAWorkerWithoutTheStorageSaysSo(t *testing.T) {
	t.Parallel()
	p := inDirectory(t)
	s := newCrashStage(t, harness.Rounds(fills(2*mib), harness.Calls(harness.ToolCall{ID: "a", Name: "ask", Arguments: `{}`}), harness.Say("done")))
	first := s.startWorker(p.environ...)
	ctx := within(t)
	runs := p.reader(s.stage)
	run, err := runs.Start(ctx, starter.Request{
		Model: "m", Input: "go", Tools: []starter.Tool{starter.Platform("fill"), starter.Function("ask", "", nil)},
	})
	require.NoError(t, err)
	pendingAction(t, run)
	first.Kill9()

	bare := s.startWorker()
	harness.Eventually(t, patience, func() (bool, string) {
		_, err := run.Status(ctx)
		return err != nil && strings.Contains(err.Error(), "is not configured here: set storage.directory"), fmt.Sprint(err)
	}, "the worker tells clients what it lacks")
	bare.Kill9()

	s.startWorker(p.environ...)
	harness.Eventually(t, patience, func() (bool, string) {
		_, err := run.Answer(ctx, starter.Output(contract.ActionID(2, 0), "yes"))
		return err == nil, fmt.Sprint(err)
	}, "the answer is taken")
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, "done", result.OutputText)
}

// TestARunWithLargeOutputsEndsAlsoAfterItsStorageWasTurnedOff: its result holds more
// than a server takes.
func TestARunWithLargeOutputsEndsAlsoAfterItsStorageWasTurnedOff(t *testing.T) {
	t.Parallel()
	p := inDirectory(t)
	ask := func(id string) harness.Answer {
		return harness.Calls(harness.ToolCall{ID: id, Name: "ask", Arguments: `{}`})
	}
	s := newCrashStage(t, harness.Rounds(ask("a"), ask("b"), harness.Say("never")))
	first := s.startWorker(p.environ...)
	ctx := within(t)
	run, err := p.reader(s.stage).Start(ctx, starter.Request{Model: "m", Input: "go", Tools: []starter.Tool{starter.Function("ask", "", nil)}})
	require.NoError(t, err)
	pendingAction(t, run)
	_, err = run.Answer(ctx, starter.Output(contract.ActionID(1, 0), world.Noise(0, 3*mib)))
	require.NoError(t, err)
	harness.Eventually(t, patience, func() (bool, string) {
		status, err := run.Status(ctx)
		return err == nil && len(status.Actions) == 1 && status.Actions[0].ActionID == contract.ActionID(2, 0), fmt.Sprint(err)
	}, "the second question")
	first.Kill9()

	s.startWorker(append(p.environ, "ERRAND_STORAGE_DRIVER=none")...)
	_, err = run.Stop(ctx, contract.Stop{Mode: contract.StopAfterTools, Actor: "a"})
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, contract.Incomplete, result.Status)
	require.Zero(t, result.Run.ItemsLeftOut)
	var o struct{ Output string }
	for _, it := range result.Output {
		if head, err := item.Peek(it); err == nil && head.Type == item.TypeFunctionCallOutput && o.Output == "" {
			require.NoError(t, json.Unmarshal(it, &o))
		}
	}
	requireSame(t, world.Noise(0, 3*mib), o.Output)
}

// TestABucketThatIsAwayHoldsARunUpAndNoMore: what cannot be stored is repeated
// until it can.
func TestABucketThatIsAwayHoldsARunUpAndNoMore(t *testing.T) {
	t.Parallel()
	p := inBucket(t)
	s := newCrashStage(t, harness.Rounds(fills(2*mib), harness.Say("done")))
	p.bucket.Away(true)
	s.startWorker(p.environ...)
	ctx := within(t)
	run, err := p.reader(s.stage).Start(ctx, starter.Request{Model: "m", Input: "go", Tools: []starter.Tool{starter.Platform("fill")}})
	require.NoError(t, err)
	harness.Eventually(t, patience, func() (bool, string) { return p.bucket.Refused() > 1, "" }, "the worker tries to store")
	p.bucket.Away(false)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, "done", result.OutputText)
	outputs := outputsOf(ctx, t, run)
	require.Len(t, outputs, 1)
	requireSame(t, world.Noise(0, 2*mib), outputs[0])
}

// TestADirectoryThatIsBrokenHoldsARunUpAndNoMore: while nothing can be stored
// the call is repeated, and no workflow task fails for ever.
func TestADirectoryThatIsBrokenHoldsARunUpAndNoMore(t *testing.T) {
	t.Parallel()
	p := inDirectory(t)
	require.NoError(t, os.WriteFile(p.config.Directory, nil, 0o600)) // in place of the directory
	s := newCrashStage(t, harness.Rounds(fills(2*mib), harness.Say("done")))
	process := s.startWorker(p.environ...)
	ctx := within(t)
	run, err := p.reader(s.stage).Start(ctx, starter.Request{Model: "m", Input: "go", Tools: []starter.Tool{starter.Platform("fill")}})
	require.NoError(t, err)
	process.WaitFor(t, "not a directory", patience)
	require.NoError(t, os.Remove(p.config.Directory))
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, "done", result.OutputText)
	outputs := outputsOf(ctx, t, run)
	require.Len(t, outputs, 1)
	requireSame(t, world.Noise(0, 2*mib), outputs[0])
}
