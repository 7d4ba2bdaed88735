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
func piped(t *testing.T) (out stdinWriter, server *os.File, record *requestRecord) {
	t.Helper()
	server, to, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close(); _ = to.Close() })
	record = &requestRecord{}
	out = stdinWriter{to: to, interceptor: newInterceptor("ab-"), failed: func(err error) { t.Error(err) }}
	_, remove := out.interceptor.register("ab-1", record)
	t.Cleanup(remove)
	return out, server, record
}

func TestRequestCountsAsSentOnceItIsWritten(t *testing.T) {
	t.Parallel()
	out, server, record := piped(t)
	_, err := out.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"of":1}}` + "\n"))
	require.NoError(t, err)
	_, err = out.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"ab-1"}}` + "\n"))
	require.NoError(t, err)
	require.False(t, record.sent, "another message")
	_, err = out.Write([]byte(line))
	require.NoError(t, err)
	require.True(t, record.sent)
	_ = server.Close()
	require.True(t, record.sent, "what becomes of the server later does not take it back")
}

func TestRequestToAServerThatHasEndedCountsAsNotSent(t *testing.T) {
	t.Parallel()
	out, server, record := piped(t)
	require.NoError(t, server.Close())
	_, err := out.Write([]byte(line))
	require.ErrorIs(t, err, syscall.EPIPE)
	require.False(t, record.sent)
}

func TestNothingIsWrittenOnceTheConnectionIsLost(t *testing.T) {
	t.Parallel()
	out, server, record := piped(t)
	out.interceptor.markLost(&Failure{Kind: Malformed, Message: "wrong id"})
	_, err := out.Write([]byte(line))
	require.True(t, errors.Is(err, syscall.EPIPE) && !record.sent, "who waits may have sent it elsewhere")
	require.NoError(t, out.to.Close())
	n, _ := server.Read(make([]byte, 1))
	require.Zero(t, n)
}

// slowInner is a transport whose requests wait for their turn to write.
type slowInner struct {
	transport.Interface
	turn    chan struct{}
	written chan error
	out     stdinWriter
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
	record := &requestRecord{}
	returned := make(chan error, 1)
	go func() {
		_, err := out.interceptor.send(withRecord(ctx, record), inner, transport.JSONRPCRequest{Method: "tools/call"})
		returned <- err
	}()
	cancel()
	require.ErrorIs(t, <-returned, context.Canceled)
	close(inner.turn)
	require.ErrorIs(t, <-inner.written, syscall.EPIPE)
	require.False(t, record.isSent())
	require.NoError(t, out.to.Close())
	n, _ := server.Read(make([]byte, 1))
	require.Zero(t, n, "it was reported as cancelled")
	require.Eventually(t, func() bool {
		out.interceptor.mu.Lock()
		defer out.interceptor.mu.Unlock()
		return len(out.interceptor.open) == 0
	}, 10*time.Second, time.Millisecond, "it is forgotten once the transport has done with it")
}
