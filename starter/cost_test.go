package starter

import (
	"context"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"

	"errand/activities"
	"errand/workflows/contract"
)

// costs is what serving has asked of the workers of one run.
func (f *fake) costs() (queries, updates int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.queries {
		queries += n
	}
	return queries, len(f.updates)
}

func TestAServedCallCostsOneQueryAndTwoUpdatesAtMost(t *testing.T) {
	t.Parallel()
	for name, calls := range map[string][]time.Duration{
		"one after the other, quick":        {0, 0, 0, 0, 0, 0},
		"one after the other, some seconds": {3 * time.Second, 8 * time.Second, 5 * time.Second},
	} {
		for engine, begin := range engines {
			t.Run(engine+", "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					f, end := begin(t, func(_ context.Context, call Call) (any, error) {
						round, _, _ := contract.Place(call.ActionID)
						wait(calls[round-1])
						return "ok", nil
					})
					queries, updates := f.costs()
					for i := range calls {
						f.open(contract.ActionID(i+1, 0), "add")
						f.pass(15 * time.Second)
					}
					after, updated := f.costs()
					require.Len(t, f.answers, len(calls))
					require.LessOrEqual(t, after-queries, len(calls), "queries")
					require.Equal(t, 2*len(calls), updated-updates, "a claim and an answer")
					end()
				})
			})
		}
	}
}

func TestServedCallsOfABatchCostOneQueryEachAtMost(t *testing.T) {
	t.Parallel()
	const calls = 12
	for engine, begin := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, end := begin(t, func(_ context.Context, call Call) (any, error) {
					_, index, _ := contract.Place(call.ActionID)
					wait(time.Second + time.Duration(index)*time.Millisecond)
					return "ok", nil
				})
				queries, updates := f.costs()
				f.openBatch("add", calls)
				f.pass(time.Minute)
				after, updated := f.costs()
				require.Len(t, f.answers, calls)
				require.LessOrEqual(t, after-queries, calls, "queries")
				require.Equal(t, 2*calls, updated-updates, "a claim and an answer")
				end()
			})
		})
	}
}

// openBatch hands several calls over in one workflow task.
func (f *fake) openBatch(tool string, calls int) {
	f.do(func() {
		for i := range calls {
			f.actions = append(f.actions, openAction(contract.ActionID(1, i), tool))
		}
		f.emit(contract.Event{Type: contract.EventManifest})
	})
}

// engines serve a run that waits for nothing yet.
var engines = map[string]func(*testing.T, Handler) (f *fake, end func()){
	"Serve": func(t *testing.T, handler Handler) (*fake, func()) {
		f := newFake()
		f.happen(contract.EventRunStart)
		done := serving(t.Context(), f, Handlers{"add": handler})
		f.pass(15 * time.Second)
		return f, func() {
			f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
			require.NoError(t, <-done)
		}
	},
	"ServeAll": func(t *testing.T, handler Handler) (*fake, func()) {
		m := newFakeMany()
		f := m.start("run_1", "add", 0)
		ctx, cancel := context.WithCancel(t.Context())
		done := m.servingAll(ctx, Handlers{"add": handler})
		m.pass(15 * time.Second)
		return f, func() { stop(t, m, cancel, done) }
	},
}

func TestHistoryTellsWhenNothingHasOpened(t *testing.T) {
	t.Parallel()
	event := func(kind enumspb.EventType) *historypb.HistoryEvent { return &historypb.HistoryEvent{EventType: kind} }
	task := event(enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED)
	activity := event(enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED)
	signal := func(name string) *historypb.HistoryEvent {
		return &historypb.HistoryEvent{
			EventType: enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
			Attributes: &historypb.HistoryEvent_WorkflowExecutionSignaledEventAttributes{
				WorkflowExecutionSignaledEventAttributes: &historypb.WorkflowExecutionSignaledEventAttributes{SignalName: name},
			},
		}
	}
	type events = []*historypb.HistoryEvent
	for name, c := range map[string]struct {
		events  events
		pending bool
		opened  opening
		after   bool
	}{
		"nothing":                             {nil, false, asBefore, false},
		"a claim":                             {events{task, accepted(contract.ClaimAction)}, false, asBefore, false},
		"an answer":                           {events{task, accepted(contract.ToolOutput)}, false, unknown, false},
		"the last answer":                     {events{task, accepted(contract.ToolOutput), scheduled("Infer")}, false, nothingOpen, false},
		"a compaction":                        {events{task, accepted(contract.ToolOutput), scheduled("Compact")}, false, nothingOpen, false},
		"a claim as the model has answered":   {events{activity, task, accepted(contract.ClaimAction)}, false, unknown, false},
		"the model has answered":              {events{activity, task}, false, unknown, false},
		"it has, and the run has not noticed": {events{activity}, false, asBefore, true},
		"the run notices what came before":    {events{task}, true, unknown, false},
		"it asked, and has the answer":        {events{task, scheduled("Infer"), activity, task}, false, unknown, false},
		"a tool is called":                    {events{activity, task, scheduled("Execute")}, false, unknown, false},
		"a lease ends":                        {events{event(enumspb.EVENT_TYPE_TIMER_FIRED), task}, false, unknown, false},
		"partial results":                     {events{signal(contract.Nudge), task}, false, asBefore, false},
		"a signal":                            {events{signal(contract.ToolOutput), task}, false, unknown, false},
		"the server's own":                    {events{event(enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED), event(enumspb.EVENT_TYPE_TIMER_STARTED), task}, false, asBefore, false},
		"what is not known yet":               {events{event(enumspb.EventType(9999)), task}, false, unknown, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opened, pending := openedBy(c.events, c.pending)
			require.Equal(t, fmt.Sprint(c.opened, c.after), fmt.Sprint(opened, pending))
		})
	}
}

func TestActivitiesThatAskTheModelAreKnownByTheirNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Infer", "Compact"} {
		_, known := reflect.TypeFor[*activities.Activities]().MethodByName(name)
		require.True(t, known && asksModel(name), name)
	}
}
