package mcp

import (
	"errors"
	"os"
	"syscall"
	"testing"

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
	t.Cleanup(out.tap.register("ab-1", x))
	return out, server, x
}

func TestRequestIsTouchedOnceItIsWritten(t *testing.T) {
	t.Parallel()
	out, server, x := piped(t)
	_, err := out.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"of":1}}` + "\n"))
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
