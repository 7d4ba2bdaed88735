package starter

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"errand/workflows/contract"
)

// collect follows a run in the background; the channel gives the types of its
// events and is closed at the end, after which err is the error.
type collected struct {
	types []contract.EventType
	seqs  []int
	err   error
	done  chan struct{}
}

func collect(ctx context.Context, run *Run, after int) *collected {
	c := &collected{done: make(chan struct{})}
	go func() {
		defer close(c.done)
		for event, err := range run.Follow(ctx, after) {
			if err != nil {
				c.err = err
				return
			}
			c.types, c.seqs = append(c.types, event.Type), append(c.seqs, event.Seq)
		}
	}()
	return c
}

func TestFollowGivesEveryEventAsItHappens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.happen(contract.EventRunStart)
		c := collect(t.Context(), f.run(), 0)
		synctest.Wait()
		require.Equal(t, []int{1}, c.seqs)
		f.happen(contract.EventRoundStart, contract.EventMessage)
		synctest.Wait()
		require.Equal(t, []int{1, 2, 3}, c.seqs)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		<-c.done
		require.NoError(t, c.err)
		require.Equal(t, contract.EventRunEnd, c.types[3])
		require.Len(t, c.types, 4)
	})
}

func TestFollowGoesOnFromACursor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.happen(contract.EventRunStart, contract.EventRoundStart)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
		c := collect(t.Context(), f.run(), 1)
		<-c.done
		require.NoError(t, c.err)
		require.Equal(t, []int{2, 3}, c.seqs)
	})
}

func TestFollowReadsPageAfterPage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		for range 2*eventsPage + 7 {
			f.happen(contract.EventMessage)
		}
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		c := collect(t.Context(), f.run(), 0)
		<-c.done
		require.NoError(t, c.err)
		require.Len(t, c.seqs, 2*eventsPage+8)
		require.LessOrEqual(t, f.count(contract.QueryEvents), 4)
	})
}

func TestFollowAsksOnceForABurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		c := collect(t.Context(), f.run(), 0)
		synctest.Wait()
		before := f.count(contract.QueryEvents)
		f.do(func() {
			for range 40 {
				f.emit(contract.Event{Type: contract.EventMessage})
			}
		})
		synctest.Wait()
		require.Len(t, c.seqs, 40)
		require.LessOrEqual(t, f.count(contract.QueryEvents)-before, 2)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		<-c.done
	})
}

func TestFollowSurvivesContinueAsNew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		c := collect(t.Context(), f.run(), 0)
		f.happen(contract.EventRunStart)
		synctest.Wait()
		f.continueAsNew()
		synctest.Wait()
		f.happen(contract.EventRoundStart)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_FAILED)
		<-c.done
		require.NoError(t, c.err)
		require.Equal(t, []int{1, 2, 3}, c.seqs)
	})
}

func TestFollowWaitsForAWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.happen(contract.EventRunStart)
		f.do(func() { f.down = true })
		c := collect(t.Context(), f.run(), 0)
		f.pass(10 * time.Minute)
		require.Empty(t, c.seqs)
		require.Less(t, f.count(contract.QueryEvents), 200, "no busy loop")
		f.do(func() { f.down = false })
		f.pass(10 * time.Second)
		require.Equal(t, []int{1}, c.seqs)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		<-c.done
		require.NoError(t, c.err)
	})
}

func TestFollowWaitsForTheLastEventsOfARunThatHasEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		f.do(func() { f.down = true })
		c := collect(t.Context(), f.run(), 0)
		f.pass(time.Minute)
		require.Empty(t, c.seqs)
		f.do(func() { f.down = false })
		<-c.done
		require.NoError(t, c.err)
		require.Equal(t, []contract.EventType{contract.EventRunEnd}, c.types)
	})
}

func TestFollowEndsWhenTheRunIsTerminated(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]bool{"worker up": false, "worker down": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.happen(contract.EventRunStart)
				c := collect(t.Context(), f.run(), 0)
				synctest.Wait()
				f.do(func() { f.down = down })
				f.close(enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED)
				<-c.done
				require.Equal(t, &ClosedError{Terminated}, c.err)
				require.Equal(t, []int{1}, c.seqs)
			})
		})
	}
}

func TestFollowNoticesWhatTheLongPollMissed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.deaf = true
		c := collect(t.Context(), f.run(), 0)
		synctest.Wait()
		f.happen(contract.EventRunStart)
		f.pass(2 * time.Second)
		require.Equal(t, []int{1}, c.seqs)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		<-c.done
		require.NoError(t, c.err)
	})
}

func TestFollowIsQuietWhileNothingHappens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := newFake()
		f.happen(contract.EventRunStart)
		c := collect(ctx, f.run(), 0)
		f.pass(24 * time.Hour)
		require.LessOrEqual(t, f.count(contract.QueryEvents), 3)
		require.Less(t, f.looks, 24*60*60/15)
		cancel()
		<-c.done
		require.ErrorIs(t, c.err, context.Canceled)
	})
}

func TestFollowReadsOnWhileTheHistoryCannotBeRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.do(func() { f.broken = true })
		c := collect(t.Context(), f.run(), 0)
		f.happen(contract.EventRunStart)
		f.pass(time.Minute)
		require.Equal(t, []int{1}, c.seqs)
		require.Less(t, f.count(contract.QueryEvents), 40)
		f.do(func() { f.broken = false })
		f.pass(10 * time.Second)
		f.close(enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
		<-c.done
		require.NoError(t, c.err)
		require.Equal(t, []int{1, 2}, c.seqs)
	})
}

func TestFollowStopsWhenNobodyWantsMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.happen(contract.EventRunStart, contract.EventRoundStart)
		for event, err := range f.run().Follow(t.Context(), 0) {
			require.NoError(t, err)
			require.Equal(t, 1, event.Seq)
			break
		}
		synctest.Wait() // the bubble fails if a goroutine were left
	})
}

func TestFollowNeedsARun(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{"unknown": "", "another workflow": "Cleanup"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.kind, f.down = kind, true
				c := collect(t.Context(), f.run(), 0)
				<-c.done
				require.ErrorIs(t, c.err, ErrNotFound)
			})
		})
	}
}
