package starter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"errand/workflows/contract"
)

// serving runs Serve in the background; the channel gives its error.
func serving(ctx context.Context, f *fake, handlers Handlers, options ...ServeOption) chan error {
	done := make(chan error, 1)
	go func() { done <- f.run().Serve(ctx, handlers, options...) }()
	return done
}

func returns(output any) Handler {
	return func(context.Context, Call) (any, error) { return output, nil }
}

// blocks is a handler that waits for its context and says why it ended.
func blocks(causes chan<- error) Handler {
	return func(ctx context.Context, _ Call) (any, error) {
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return nil, ctx.Err()
	}
}

func TestServeAnswersCallsThatAreOpenAndNewOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "add")
		done := serving(t.Context(), f, Handlers{"add": func(_ context.Context, call Call) (any, error) {
			var args struct{ N int }
			if err := call.Decode(&args); err != nil {
				return nil, err
			}
			return map[string]any{"key": call.Key, "n": args.N}, nil
		}})
		synctest.Wait()
		require.JSONEq(t, `{"key":"run_1/1/0","n":1}`, f.outputOf("act_1_0"))
		f.open("act_2_3", "add")
		synctest.Wait()
		require.JSONEq(t, `{"key":"run_1/2/3","n":1}`, f.outputOf("act_2_3"))
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestServeReturnsAtOnceWhenTheRunHasEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status enumspb.WorkflowExecutionStatus
		down   bool
		want   error
	}{
		"completed":               {enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, false, nil},
		"completed, no worker":    {enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, true, nil},
		"terminated, no worker":   {enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, true, &ClosedError{Terminated}},
		"terminated":              {enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, false, &ClosedError{Terminated}},
		"timed out, worker is up": {enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT, false, &ClosedError{TimedOut}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.close(c.status)
				f.down = c.down
				require.Equal(t, c.want, f.run().Serve(t.Context(), nil))
			})
		})
	}
}

func TestServeTurnsFailuresIntoAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "fails")
		f.open("act_1_1", "panics")
		f.open("act_1_2", "unwritable")
		f.open("act_1_3", "huge")
		f.open("act_1_4", "missing")
		f.open("act_1_5", "fine")
		done := serving(t.Context(), f, Handlers{
			"fails":      func(context.Context, Call) (any, error) { return nil, errors.New("no such flight") },
			"panics":     func(context.Context, Call) (any, error) { panic("oh") },
			"unwritable": returns(make(chan int)),
			"huge":       returns(make([]int, contract.MaxAnswerSize)),
			"fine":       returns("yes"),
		})
		synctest.Wait()
		for id, want := range map[string]string{
			"act_1_0": `{"error":"Error for 'fails': no such flight","type":"ExecutionFailed"}`,
			"act_1_1": `{"error":"Error for 'panics': panic: oh","type":"ExecutionFailed"}`,
			"act_1_2": `{"error":"Error for 'unwritable': json: unsupported type: chan int","type":"ExecutionFailed"}`,
			"act_1_3": `{"error":"the output of 'huge' is 2097153 bytes: at most 1048576 are taken","type":"OutputTooLarge"}`,
			"act_1_4": `{"error":"no handler for 'missing'","type":"NoHandler"}`,
		} {
			require.JSONEq(t, want, f.outputOf(id))
			require.True(t, f.answers[id].IsError, id)
		}
		require.Equal(t, "yes", f.outputOf("act_1_5"))
		require.False(t, f.answers["act_1_5"].IsError)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

// nasty panics wherever it is looked at.
type nasty struct{}

func (nasty) Error() string                { panic("in Error") }
func (nasty) MarshalJSON() ([]byte, error) { panic("in MarshalJSON") }

func TestServeOutlivesWhatHandlersReturn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		for i, name := range []string{"error", "value", "panic", "exit", "leaver"} {
			f.open(fmt.Sprintf("act_1_%d", i), name)
		}
		done := serving(t.Context(), f, Handlers{
			"error":  func(context.Context, Call) (any, error) { return nil, nasty{} },
			"value":  returns(nasty{}),
			"panic":  func(context.Context, Call) (any, error) { panic(nasty{}) },
			"exit":   func(context.Context, Call) (any, error) { runtime.Goexit(); return "", nil },
			"leaver": returns(leaver{}),
		})
		synctest.Wait()
		for id, want := range map[string]string{
			"act_1_0": "Error for 'error': panic: in Error",
			"act_1_1": "Error for 'value': panic: in MarshalJSON",
			"act_1_2": "Error for 'panic': panic: ",
			"act_1_3": "Error for 'exit': the handler ended its goroutine",
			"act_1_4": "Error for 'leaver': the handler ended its goroutine",
		} {
			require.Contains(t, f.outputOf(id), want)
			require.Contains(t, f.outputOf(id), `"type":"ExecutionFailed"`)
			require.True(t, f.answers[id].IsError, id)
		}
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

// leaver ends the goroutine that writes it.
type leaver struct{}

func (leaver) MarshalJSON() ([]byte, error) { runtime.Goexit(); return nil, nil }

func TestOutputsAreTextOrJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, `""`},
		{"a", `"a"`},
		{[]byte("{\"a\":1}"), `"{\"a\":1}"`},
		{[]byte(nil), `""`},
		{json.RawMessage(`{"a": 1}`), `"{\"a\": 1}"`},
		{map[string]int{"a": 1}, `{"a":1}`},
		{[]int{1}, `[1]`},
	} {
		output, err := encodeOutput(c.value)
		require.NoError(t, err)
		require.Equal(t, c.want, string(output))
	}
}

func TestServeBoundsHowManyRunAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		for i := range 12 {
			f.open(fmt.Sprintf("act_1_%d", i), "slow")
		}
		var now, most atomic.Int32
		done := serving(t.Context(), f, Handlers{"slow": func(context.Context, Call) (any, error) {
			most.Store(max(most.Load(), now.Add(1)))
			<-time.After(time.Minute)
			now.Add(-1)
			return "ok", nil
		}}, Concurrency(4))
		f.pass(3*time.Minute + time.Second)
		require.Len(t, f.answers, 12)
		require.EqualValues(t, 4, most.Load())
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestServeRenewsItsClaimWhileTheHandlerRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "slow")
		done := serving(t.Context(), f, Handlers{"slow": func(context.Context, Call) (any, error) {
			<-time.After(time.Hour)
			return "ok", nil
		}}, Owner("me"), Lease(time.Minute))
		for range 59 {
			f.pass(time.Minute)
			require.Equal(t, "me", f.actions[0].Owner)
			require.True(t, f.actions[0].LeaseUntil.After(time.Now()))
		}
		f.pass(2 * time.Minute)
		require.Equal(t, "ok", f.outputOf("act_1_0"))
		require.InDelta(t, 22, len(f.updates), 5, "a third of a lease that grows to ten minutes: a run takes 2,000 updates")
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestServeTakesOverWhenAnothersLeaseEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "add")
		f.actions[0].Owner, f.actions[0].LeaseUntil = "other", time.Now().Add(20*time.Second)
		done := serving(t.Context(), f, Handlers{"add": returns("mine")}, Owner("me"))
		f.pass(19 * time.Second)
		require.Empty(t, f.updates)
		f.pass(2 * time.Second)
		require.Equal(t, "mine", f.outputOf("act_1_0"))
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestTwoServersExecuteEveryCallOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		var executed atomic.Int32
		handlers := Handlers{"add": func(context.Context, Call) (any, error) {
			executed.Add(1)
			<-time.After(40 * time.Second)
			return "ok", nil
		}}
		one, two := serving(t.Context(), f, handlers), serving(t.Context(), f, handlers)
		for i := range 10 {
			f.open(fmt.Sprintf("act_1_%d", i), "add")
		}
		f.pass(2 * time.Minute)
		require.Len(t, f.answers, 10)
		require.EqualValues(t, 10, executed.Load())
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
		require.NoError(t, <-one)
		require.NoError(t, <-two)
	})
}

func TestServeFollowsItsPolicyForToolsWithoutHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "strange")
		f.open("act_1_1", "add")
		done := serving(t.Context(), f, Handlers{"add": returns("ok")}, OnNoHandler(Leave))
		f.pass(time.Minute)
		require.NotNil(t, f.action("act_1_0"))
		require.Empty(t, f.action("act_1_0").Owner)
		require.Equal(t, "ok", f.outputOf("act_1_1"))

		err := f.run().Serve(t.Context(), nil, OnNoHandler(Fail))
		require.Equal(t, &NoHandlerError{"strange"}, err)
		require.NotNil(t, f.action("act_1_0"))
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestServeFindsTheHandlerOfANamespaceMember(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.open("act_1_0", "lookup")
		f.actions[0].Namespace = "crm"
		done := serving(t.Context(), f, Handlers{"lookup": returns("wrong"), "crm.lookup": returns("right")})
		synctest.Wait()
		require.Equal(t, "right", f.outputOf("act_1_0"))
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		require.NoError(t, <-done)
	})
}

func TestServeNeedsRealHandlers(t *testing.T) {
	t.Parallel()
	err := newFake().run().Serve(t.Context(), Handlers{"a": nil, " ": returns("x")})
	require.ErrorContains(t, err, `handler "a"`)
	require.ErrorContains(t, err, `handler " "`)
}
