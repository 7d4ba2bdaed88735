package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
)

// room is a session of the tests.
type room struct {
	closed  atomic.Int64
	closing func(context.Context) error
}

func (r *room) Execute(context.Context, string, tools.Invocation) (tools.Output, error) {
	return tools.Output{}, nil
}

func (r *room) Close(ctx context.Context) error {
	r.closed.Add(1)
	if r.closing != nil {
		return r.closing(ctx)
	}
	return nil
}

// gives opens the room after a second, unless told to stop before.
func (r *room) gives(ctx context.Context) (tools.Session, error) {
	select {
	case <-time.After(time.Second):
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func id(run string) ID { return ID{RunID: run, Chain: "chain", Source: "s", Epoch: 1} }

func newManager() *Manager { return NewManager("own", 1, nil) }

// hold opens a room for a run.
func (m *Manager) hold(t *testing.T, run string, r *room) {
	t.Helper()
	require.NoError(t, m.Open(t.Context(), id(run), run+"/cleanup", r.gives))
}

func TestCallersAtTheSameTimeShareOneOpening(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, r := newManager(), &room{}
		var opened atomic.Int64
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				err := m.Open(t.Context(), id("a"), "c", func(ctx context.Context) (tools.Session, error) {
					opened.Add(1)
					return r.gives(ctx)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		_, open := m.Get(id("a"))
		require.False(t, open, "it is still being opened")
		wg.Wait()
		require.EqualValues(t, 1, opened.Load())
		session, open := m.Get(id("a"))
		require.True(t, open)
		require.Same(t, r, session)
	})
}

func TestFailedOpeningIsToldToAllWhoWaitAndNotKept(t *testing.T) {
	t.Parallel()
	for name, opening := range map[string]func(context.Context) (tools.Session, error){
		"an error":   func(context.Context) (tools.Session, error) { return nil, errors.New("no room") },
		"a panic":    func(context.Context) (tools.Session, error) { panic("no room") },
		"no session": func(context.Context) (tools.Session, error) { return nil, nil }, //nolint:nilnil // the mistake
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newManager()
			require.ErrorContains(t, m.Open(t.Context(), id("a"), "c", opening), "no ")
			require.Empty(t, m.cleanups())
			m.hold(t, "a", &room{})
		})
	}
}

// TestOpeningOutlivesTheAttemptThatBeganIt: the next attempt finds it.
func TestOpeningOutlivesTheAttemptThatBeganIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, r := newManager(), &room{}
		first, give := context.WithTimeout(t.Context(), time.Millisecond)
		defer give()
		require.ErrorIs(t, m.Open(first, id("a"), "c", r.gives), context.DeadlineExceeded)
		require.NoError(t, m.Open(t.Context(), id("a"), "c", func(context.Context) (tools.Session, error) {
			return nil, errors.New("opened twice")
		}))
	})
}

func TestSessionIsClosedOnceHoweverManyAsk(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, r := newManager(), &room{}
		m.hold(t, "a", r)
		var did atomic.Int64
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if closed, err := m.Close(t.Context(), id("a")); closed && err == nil {
					did.Add(1)
				}
			})
		}
		wg.Wait()
		require.EqualValues(t, 1, r.closed.Load())
		require.EqualValues(t, 1, did.Load())
		_, open := m.Get(id("a"))
		require.False(t, open)
	})
}

func TestClosingWhatIsBeingOpenedLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	for name, obeys := range map[string]bool{"the opening gives up": true, "it opens all the same": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m, r := newManager(), &room{}
				go func() {
					_ = m.Open(t.Context(), id("a"), "c", func(ctx context.Context) (tools.Session, error) {
						if !obeys {
							ctx = context.WithoutCancel(ctx)
						}
						return r.gives(ctx)
					})
				}()
				synctest.Wait()
				closed, err := m.Close(t.Context(), id("a"))
				require.True(t, closed)
				require.NoError(t, err)
				want := int64(1)
				if obeys {
					want = 0 // it was never open
				}
				require.Equal(t, want, r.closed.Load())
				require.Empty(t, m.cleanups())
			})
		})
	}
}

func TestCloseThatFailsIsReportedAndBounded(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		closing func(context.Context) error
		want    string
	}{
		"an error": {func(context.Context) error { return errors.New("stuck lid") }, "stuck lid"},
		"a panic":  {func(context.Context) error { panic("stuck lid") }, "stuck lid"},
		"one that listens": {func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}, "deadline"},
		"one that does not": {func(context.Context) error {
			<-time.After(time.Hour)
			return nil
		}, "did not close within 10s"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newManager()
				m.hold(t, "a", &room{closing: row.closing})
				ended, cancel := context.WithCancel(t.Context())
				cancel() // does not cut the closing short
				began := time.Now()
				closed, err := m.Close(ended, id("a"))
				require.True(t, closed)
				require.ErrorContains(t, err, row.want)
				require.LessOrEqual(t, time.Since(began), closeLimit+time.Second)
				again, err := m.Close(t.Context(), id("a"))
				require.False(t, again)
				require.NoError(t, err)
				<-time.After(time.Hour) // of the bubble's clock: what was left behind ends
			})
		})
	}
}

func TestWorkerThatStopsOpensNothingMore(t *testing.T) {
	t.Parallel()
	m := newManager()
	m.StopOpening()
	require.ErrorIs(t, m.Open(t.Context(), id("a"), "c", (&room{}).gives), ErrStopping)
	require.Empty(t, m.cleanups())
}

func TestOpeningThatNeverEndsIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, r := newManager(), &room{}
		err := m.Open(t.Context(), id("a"), "c", func(context.Context) (tools.Session, error) {
			<-time.After(time.Hour)
			return r, nil
		})
		require.ErrorContains(t, err, "did not open within 2m0s")
		<-time.After(2 * time.Hour)
		require.EqualValues(t, 1, r.closed.Load(), "it opened after all, and was closed")
	})
}
