package mcp

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"
)

const line = `{"jsonrpc":"2.0","id":"ab-1","method":"tools/call"}` + "\n"

// piped is a pipe to a server, and a request that is about to be written to it.
func piped(t *testing.T) (out pipe, server *os.File, x *exchange) {
	t.Helper()
	server, to, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close(); _ = to.Close() })
	x = &exchange{}
	out = pipe{to: to, tap: newTap("ab-"), failed: func(err error) { t.Error(err) }}
	_, remove := out.tap.register("ab-1", x)
	t.Cleanup(remove)
	return out, server, x
}

func TestRequestIsTouchedOnceItIsWritten(t *testing.T) {
	t.Parallel()
	out, server, x := piped(t)
	_, err := out.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"of":1}}` + "\n"))
	require.NoError(t, err)
	_, err = out.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"ab-1"}}` + "\n"))
	require.NoError(t, err)
	require.False(t, x.touched, "another message")
	_, err = out.Write([]byte(line))
	require.NoError(t, err)
	require.True(t, x.touched)
	_ = server.Close()
	require.True(t, x.touched, "what becomes of the server later does not take it back")
}

func TestRequestToAServerThatHasEndedIsUntouched(t *testing.T) {
	t.Parallel()
	out, server, x := piped(t)
	require.NoError(t, server.Close())
	_, err := out.Write([]byte(line))
	require.ErrorIs(t, err, syscall.EPIPE)
	require.False(t, x.touched)
}

func TestNothingIsWrittenOnceTheConnectionIsLost(t *testing.T) {
	t.Parallel()
	out, server, x := piped(t)
	out.tap.lose(&Failure{Kind: Malformed, Message: "wrong id"})
	_, err := out.Write([]byte(line))
	require.True(t, errors.Is(err, syscall.EPIPE) && !x.touched, "who waits may have sent it elsewhere")
	require.NoError(t, out.to.Close())
	n, _ := server.Read(make([]byte, 1))
	require.Zero(t, n)
}

// slowInner is a transport whose requests wait for their turn to write.
type slowInner struct {
	transport.Interface
	turn    chan struct{}
	written chan error
	out     pipe
}

func (s *slowInner) SendRequest(_ context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	<-s.turn
	_, err := s.out.Write([]byte(`{"jsonrpc":"2.0","id":"` + r.ID.Value().(string) + `"}` + "\n"))
	s.written <- err
	return nil, err
}

func (s *slowInner) SendNotification(context.Context, mcp.JSONRPCNotification) error { return nil }

func TestRequestThatNobodyWaitsForIsNotWrittenLater(t *testing.T) {
	t.Parallel()
	out, server, _ := piped(t)
	inner := &slowInner{turn: make(chan struct{}), written: make(chan error, 1), out: out}
	ctx, cancel := context.WithCancel(t.Context())
	x := &exchange{}
	returned := make(chan error, 1)
	go func() {
		_, err := out.tap.send(withExchange(ctx, x), inner, transport.JSONRPCRequest{Method: "tools/call"})
		returned <- err
	}()
	cancel()
	require.ErrorIs(t, <-returned, context.Canceled)
	close(inner.turn)
	require.ErrorIs(t, <-inner.written, syscall.EPIPE)
	require.False(t, x.isTouched())
	require.NoError(t, out.to.Close())
	n, _ := server.Read(make([]byte, 1))
	require.Zero(t, n, "it was reported as cancelled")
	require.Eventually(t, func() bool {
		out.tap.mu.Lock()
		defer out.tap.mu.Unlock()
		return len(out.tap.open) == 0
	}, 10*time.Second, time.Millisecond, "it is forgotten once the transport has done with it")
}
