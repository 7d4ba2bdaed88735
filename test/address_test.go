package test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// freeAddress is a loopback address that nobody listens on just now.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
