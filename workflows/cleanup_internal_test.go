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
	"errand/workflows/contract"
)

// closer is a worker that notes what it was told to close.
type closer struct{ told []activities.Activation }

// inside runs a workflow with a worker that closes what it is told to.
func inside(t *testing.T, story func(workflow.Context) error) (*testsuite.TestWorkflowEnvironment, *closer) {
	t.Helper()
	c := &closer{}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.RegisterActivityWithOptions(func(_ context.Context, key activities.Activation) (activities.DeactivateResult, error) {
		c.told = append(c.told, key)
		return activities.DeactivateResult{Closed: true}, nil
	}, activity.RegisterOptions{Name: "Deactivate"})
	if story != nil {
		env.RegisterWorkflowWithOptions(story, workflow.RegisterOptions{Name: "story"})
		env.ExecuteWorkflow("story")
		require.NoError(t, env.GetWorkflowError())
	}
	return env, c
}

func opened(source, queue string) activities.Held {
	return activities.Held{Activation: activities.Activation{RunID: "run", Chain: "c", Source: source, Epoch: 1}, Queue: queue}
}

func TestCleanupTakesWhatTheRunKnowsToBeClosedAsClosed(t *testing.T) {
	t.Parallel()
	env, worker := inside(t, nil)
	gone, there := opened("desk", "left"), opened("box", "here")
	said := opened("shelf", "left")
	said.Error = "it was jammed"
	env.RegisterDelayedCallback(func() {
		env.SignalWorkflow(SignalRelease, ReleaseOrder{
			Opened: []activities.Held{gone, there, opened("shelf", "left")}, Closed: []activities.Held{gone, said},
		})
	}, time.Minute)
	env.ExecuteWorkflow(Cleanup, CleanupInput{RunID: "run", Chain: "c", Number: 2, Held: []KeptActivation{
		{Held: gone}, {Held: there}, {Held: opened("shelf", "left")},
	}})
	require.NoError(t, env.GetWorkflowError())
	var result CleanupResult
	require.NoError(t, env.GetWorkflowResult(&result))
	require.Equal(t, []contract.Release{
		{Source: "desk", Epoch: 1}, {Source: "box", Epoch: 1}, {Source: "shelf", Epoch: 1, Error: "it was jammed"},
	}, result.Released)
	require.Equal(t, []activities.Activation{there.Activation}, worker.told, "nobody listens on the queue of a worker that has left")
}

func TestRunWhoseCleanupIsGoneDoesNotDeactivateWhatItsWorkerHasClosed(t *testing.T) {
	t.Parallel()
	var result CleanupResult
	_, worker := inside(t, func(ctx workflow.Context) error {
		r := &run{holdings: holdings{all: []*activation{
			{Held: opened("desk", "left"), state: contract.ActivationLost, gone: true, parting: "it was jammed"},
			{Held: opened("box", "here"), state: contract.ActivationOpen},
		}}}
		result = r.releaseAlone(ctx, context.Canceled)
		return nil
	})
	require.Equal(t, []contract.Release{{Source: "desk", Epoch: 1, Error: "it was jammed"}, {Source: "box", Epoch: 1}}, result.Released)
	require.Equal(t, []activities.Activation{opened("box", "here").Activation}, worker.told)
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
		word, is := workflow.GetSignalChannel(ctx, activities.SignalOpening).(workflow.Channel)
		require.True(t, is)
		require.True(t, word.SendAsync(opened("desk", "here")))
		c.deactivateAll(ctx)
		return nil
	})
	require.Equal(t, []activities.Activation{opened("desk", "here").Activation}, worker.told)
}

func TestCleanupsAreReplacedByTheCountOfOneExecution(t *testing.T) {
	t.Parallel()
	inside(t, func(ctx workflow.Context) error {
		r := &run{holdings: holdings{keepers: 3 * maxKeepers, started: 1}}
		require.True(t, r.mayReplace(), "the others were those of the executions before")
		r.holdings.started = maxKeepers
		require.False(t, r.mayReplace())
		return nil
	})
}
