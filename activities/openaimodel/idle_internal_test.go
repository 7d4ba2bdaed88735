package openaimodel

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEveryByteEndsAStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		watching, idle := newWatch(t.Context(), time.Minute)
		defer idle.stop()
		read, write := io.Pipe()
		go func() {
			for range 5 {
				<-time.After(59 * time.Second)
				_, _ = write.Write([]byte{':'})
			}
			_ = write.Close()
		}()
		all, err := io.ReadAll(watched{read, idle})
		require.NoError(t, err)
		require.Len(t, all, 5)
		require.NoError(t, watching.Err())

		begun := time.Now()
		<-watching.Done()
		require.Equal(t, time.Minute, time.Since(begun))
		require.Equal(t, stalledError(time.Minute), idle.cause(io.ErrUnexpectedEOF))
		require.NoError(t, idle.cause(nil))
	})
}

func TestWatchWithoutATimeoutWaitsForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		watching, idle := newWatch(t.Context(), 0)
		<-time.After(1000 * time.Hour)
		require.NoError(t, watching.Err())
		idle.stop()
		require.Equal(t, io.EOF, idle.cause(io.EOF))
	})
}

func TestEndOfTheContextIsNoStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, idle := newWatch(ctx, time.Minute)
		defer idle.stop()
		<-time.After(time.Hour)
		err := errors.New("cut")
		require.Equal(t, err, idle.cause(err))
	})
}

func TestRestOfAReplyIsNotWaitedForLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		watching, idle := newWatch(t.Context(), time.Minute)
		defer idle.stop()
		read, write := io.Pipe()
		// As net/http does with the body of a request whose context ends.
		context.AfterFunc(watching, func() { _ = write.CloseWithError(context.Canceled) })
		begun := time.Now()
		idle.drain(read)
		require.Equal(t, drainTime, time.Since(begun))
	})
}
