package activities

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"errand/activities/model"
	"errand/activities/session"
	"errand/tools"
)

// execute is an activity that is to hear that its worker stops.
func execute(t *testing.T, env *testsuite.TestActivityEnvironment, activity, in any) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := env.ExecuteActivity(activity, in)
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-time.After(30 * time.Second):
		t.Fatal("the activity has not heard that its worker stops")
		return nil
	}
}

// haltable are activities with one tool, and a model that never answers.
func haltable(t *testing.T, tool oneTool, m model.Model) (*Activities, *testsuite.TestActivityEnvironment) {
	t.Helper()
	a, err := New(Parts{Model: m, Engine: newRun(1), Sources: map[string]Source{"one": tool}})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	return a, env
}

// requireHalted wants the error of a worker that stops, and gives how far the
// activity got.
func requireHalted(t *testing.T, err error) Heartbeat {
	t.Helper()
	require.False(t, temporal.IsCanceledError(err))
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, TypeWorkerStopped, app.Type())
	require.False(t, app.NonRetryable())
	var p Heartbeat
	require.NoError(t, app.Details(&p))
	return p
}

// TestHaltedCallSaysHowFarItGotAndIsNotCancelled: its run decides by that what
// becomes of it.
func TestHaltedCallSaysHowFarItGotAndIsNotCancelled(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		effect tools.Effect
		deaf   bool
		want   Heartbeat
	}{
		"a tool that listens":      {tools.EffectOnce, false, Heartbeat{Begun: true}},
		"a tool that does not":     {tools.EffectOnce, true, Heartbeat{Begun: true, Left: true}},
		"one that may be repeated": {tools.EffectRead, false, Heartbeat{Begun: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var a *Activities
			end := make(chan struct{})
			t.Cleanup(func() { close(end) })
			a, env := haltable(t, oneTool{run: func(ctx context.Context, _ tools.Invocation) (tools.Output, error) {
				Halt(a)
				if row.deaf {
					<-end
				}
				<-ctx.Done()
				return tools.Output{}, ctx.Err()
			}}, &echo{})
			err := execute(t, env, a.Execute, input(row.effect))
			require.Equal(t, row.want, requireHalted(t, err))
		})
	}
}

// stuck is a model that does not answer while anybody listens.
type stuck struct{ asked func() }

func (s stuck) Infer(ctx context.Context, _ model.Request) (model.Answer, error) {
	s.asked()
	<-ctx.Done()
	return model.Answer{}, ctx.Err()
}

func TestHaltedInferenceIsHandedBack(t *testing.T) {
	t.Parallel()
	var a *Activities
	a, env := haltable(t, oneTool{}, stuck{asked: func() { Halt(a) }})
	err := execute(t, env, a.Infer, newRun(1).input(0, 1))
	require.False(t, requireHalted(t, err).Begun)
}

// deafList is a server that does not answer while anybody listens.
type deafList struct{ asked func() }

func (d deafList) List(ctx context.Context, _ tools.ServerDeclaration, _ string) (tools.Listing, error) {
	d.asked()
	<-ctx.Done()
	return tools.Listing{}, ctx.Err()
}

func TestHaltedListingIsHandedBack(t *testing.T) {
	t.Parallel()
	var a *Activities
	a, err := New(Parts{Model: &echo{}, Engine: newRun(0), Servers: deafList{asked: func() { Halt(a) }}})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	err = execute(t, env, a.ListServer, ListServerInput{})
	requireHalted(t, err)
}

func TestHaltedOpeningIsHandedBack(t *testing.T) {
	t.Parallel()
	var a *Activities
	opener := openerOf{open: func(ctx context.Context) (tools.Session, error) {
		Halt(a)
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	sessions := session.NewManager("own", 1, newRun(0))
	a, err := New(Parts{Model: &echo{}, Engine: newRun(0), Sources: map[string]Source{"s": opener}, Sessions: sessions})
	require.NoError(t, err)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	id := session.ID{RunID: "a", Source: "s", Epoch: 1}
	err = execute(t, env, a.OpenSession, OpenSessionInput{Session: id, Cleanup: "c"})
	requireHalted(t, err)
	sessions.CloseAll(t.Context())
	_, open := sessions.Get(id)
	require.False(t, open)
}

// openerOf is a source that has to be opened.
type openerOf struct {
	oneTool
	open func(context.Context) (tools.Session, error)
}

func (o openerOf) Open(ctx context.Context, _ tools.SessionSpec) (tools.Session, error) {
	return o.open(ctx)
}
