package workflows

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/activities/session"
	"errand/workflows/contract"
)

// closer is a worker that notes what it was told to close.
type closer struct{ told []session.ID }

// inside runs a workflow with a worker that closes what it is told to.
func inside(t *testing.T, story func(workflow.Context) error) (*testsuite.TestWorkflowEnvironment, *closer) {
	t.Helper()
	c := &closer{}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.RegisterActivityWithOptions(func(_ context.Context, key session.ID) (activities.CloseSessionResult, error) {
		c.told = append(c.told, key)
		return activities.CloseSessionResult{Closed: true}, nil
	}, activity.RegisterOptions{Name: "CloseSession"})
	if story != nil {
		env.RegisterWorkflowWithOptions(story, workflow.RegisterOptions{Name: "story"})
		env.ExecuteWorkflow("story")
		require.NoError(t, env.GetWorkflowError())
	}
	return env, c
}

func opened(source, queue string) session.Location {
	return session.Location{Session: session.ID{RunID: "run", Chain: "c", Source: source, Epoch: 1}, Queue: queue}
}

func kept(at session.Location) KeptSession {
	return KeptSession{Closed: session.Closed{Location: at}}
}

func TestCleanupTakesWhatTheRunKnowsToBeClosedAsClosed(t *testing.T) {
	t.Parallel()
	env, worker := inside(t, nil)
	gone, there := opened("desk", "left"), opened("box", "here")
	said := session.Closed{Location: opened("shelf", "left"), Error: "it was jammed"}
	env.RegisterDelayedCallback(func() {
		env.SignalWorkflow(SignalRelease, ReleaseOrder{
			Opened: []session.Location{gone, there, opened("shelf", "left")}, Closed: []session.Closed{{Location: gone}, said},
		})
	}, time.Minute)
	env.ExecuteWorkflow(Cleanup, CleanupInput{RunID: "run", Chain: "c", Number: 2, Held: []KeptSession{
		kept(gone), kept(there), kept(opened("shelf", "left")),
	}})
	require.NoError(t, env.GetWorkflowError())
	var result CleanupResult
	require.NoError(t, env.GetWorkflowResult(&result))
	require.Equal(t, []contract.Release{
		{Source: "desk", Epoch: 1}, {Source: "box", Epoch: 1}, {Source: "shelf", Epoch: 1, Error: "it was jammed"},
	}, result.Released)
	require.Equal(t, []session.ID{there.Session}, worker.told, "nobody listens on the queue of a worker that has left")
}

func TestRunWhoseCleanupIsGoneDoesNotDeactivateWhatItsWorkerHasClosed(t *testing.T) {
	t.Parallel()
	var result CleanupResult
	_, worker := inside(t, func(ctx workflow.Context) error {
		r := &run{state: state{Sessions: sessions{All: []*openedSession{
			{Location: opened("desk", "left"), State: contract.SessionLost, Closed: true, CloseError: "it was jammed"},
			{Location: opened("box", "here"), State: contract.SessionOpen},
		}}}}
		result = r.releaseAlone(ctx, context.Canceled)
		return nil
	})
	require.Equal(t, []contract.Release{{Source: "desk", Epoch: 1, Error: "it was jammed"}, {Source: "box", Epoch: 1}}, result.Released)
	require.Equal(t, []session.ID{opened("box", "here").Session}, worker.told)
}

// TestOpeningThatIsAnnouncedInTheLastStepIsClosed: whoever listens has been
// handed it, and has not had its turn.
func TestOpeningThatIsAnnouncedInTheLastStepIsClosed(t *testing.T) {
	t.Parallel()
	_, worker := inside(t, func(ctx workflow.Context) error {
		c := &cleanup{order: &ReleaseOrder{}}
		c.listen(ctx)
		if err := workflow.Sleep(ctx, time.Second); err != nil { // they wait for word now
			return err
		}
		word, is := workflow.GetSignalChannel(ctx, session.SignalOpening).(workflow.Channel)
		require.True(t, is)
		require.True(t, word.SendAsync(opened("desk", "here")))
		c.closeAll(ctx)
		return nil
	})
	require.Equal(t, []session.ID{opened("desk", "here").Session}, worker.told)
}

func TestCleanupsAreReplacedByTheCountOfOneExecution(t *testing.T) {
	t.Parallel()
	inside(t, func(_ workflow.Context) error {
		r := &run{state: state{Sessions: sessions{Cleanups: 3 * maxCleanups, started: 1}}}
		require.True(t, r.mayReplace(), "the others were those of the executions before")
		r.Sessions.started = maxCleanups
		require.False(t, r.mayReplace())
		return nil
	})
}
