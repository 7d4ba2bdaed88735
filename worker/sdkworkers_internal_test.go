package worker

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	sdkworker "go.temporal.io/sdk/worker"

	"errand/activities"
)

// fakeSDKWorker is a worker of the SDK that needs a while to stop.
type fakeSDKWorker struct {
	sdkworker.Worker
	starting error
	stopping time.Duration
	started  atomic.Int64
	stopped  atomic.Int64
}

func (m *fakeSDKWorker) Start() error {
	if m.starting == nil {
		m.started.Add(1)
	}
	return m.starting
}

func (m *fakeSDKWorker) Stop() {
	<-time.After(m.stopping)
	m.stopped.Add(1)
}

func sdkWorkersOf(t *testing.T, members ...*fakeSDKWorker) *sdkWorkers {
	t.Helper()
	a, err := activities.New(activities.Parts{Model: named("m"), Engine: &engine{}})
	require.NoError(t, err)
	c := newSDKWorkers(a)
	for _, m := range members {
		c.add(m)
	}
	return c
}

func TestSDKWorkersStartsAllOrNone(t *testing.T) {
	t.Parallel()
	first, second, third := &fakeSDKWorker{}, &fakeSDKWorker{starting: errors.New("no namespace")}, &fakeSDKWorker{}
	require.ErrorContains(t, sdkWorkersOf(t, first, second, third).Start(t.Context()), "no namespace")
	require.EqualValues(t, 1, first.stopped.Load())
	require.Zero(t, second.stopped.Load())
	require.Zero(t, third.started.Load())
}

// TestSDKWorkersHaltsWhatOutlastsTheDrain: calls that end by themselves in time are
// left alone.
func TestSDKWorkersHaltsWhatOutlastsTheDrain(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		lasts  time.Duration
		halted bool
	}{
		"in time":  {drainTimeout - time.Second, false},
		"too long": {drainTimeout + time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				common, own := &fakeSDKWorker{stopping: row.lasts}, &fakeSDKWorker{stopping: row.lasts}
				c := sdkWorkersOf(t, common, own)
				var halted atomic.Bool
				c.halt = func() { halted.Store(true) }
				require.NoError(t, c.Start(t.Context()))
				began := time.Now()
				c.Stop(context.WithoutCancel(t.Context()))
				require.Equal(t, row.lasts, time.Since(began), "both stop at the same time, and nothing else takes any")
				require.Equal(t, row.halted, halted.Load())
				require.EqualValues(t, 1, common.stopped.Load())
				require.EqualValues(t, 1, own.stopped.Load())
				<-time.After(time.Hour)
				require.Equal(t, row.halted, halted.Load(), "those that have stopped halt nothing more")
			})
		})
	}
}
