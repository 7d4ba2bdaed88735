package diagnose

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAStillRunIsExplainedOncePerCause(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answers := []struct {
		count int
		err   error
	}{{0, nil}, {0, nil}, {0, errors.New("away")}, {0, errors.New("away")}, {1, nil}, {0, nil}}
	asked := 0
	w := New(func(context.Context) (int, error) {
		one := answers[asked]
		asked++
		return one.count, one.err
	}, time.Microsecond, "errand", "errand worker")
	const missing = `No worker takes runs from task queue "errand": start one with "errand worker".`
	var said []string
	w.Watch(ctx, func(line string) {
		if said = append(said, line); len(said) == 3 {
			cancel()
		}
	})
	require.Equal(t, []string{missing, "Temporal does not answer; still trying. Nothing is lost.", missing}, said)
}

func TestARunThatMovesIsNotExplained(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	w := New(func(context.Context) (int, error) { return 0, nil }, time.Hour, "", "")
	w.Moved()
	w.Moved()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.Watch(ctx, func(string) { t.Error("it said something") })
	}()
	cancel()
	<-ended
}
