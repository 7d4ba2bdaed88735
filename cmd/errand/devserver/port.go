package devserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strconv"
	"syscall"
)

// InUseError says that a server cannot start because something listens where
// it should.
type InUseError struct {
	// Address is the host:port that was asked for.
	Address string
	// Temporal is true when what listens there is a Temporal server.
	Temporal bool
}

// Error names the address and what to do.
func (e *InUseError) Error() string {
	if e.Temporal {
		return fmt.Sprintf("%s is in use: a Temporal server already answers there; use that one, stop it, or choose another port", e.Address)
	}
	return fmt.Sprintf("%s is in use by another program: stop it, or choose another port", e.Address)
}

// checkFree fails if nothing can listen on address. Without this check, a
// server that is already there would pass for ours.
func checkFree(ctx context.Context, address string) error {
	listener, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return &InUseError{Address: address, Temporal: Answering(ctx, address)}
	}
	if err != nil {
		return fmt.Errorf("cannot listen on %s: choose another address: %w", address, err)
	}
	return listener.Close()
}

// freePort finds a port on host that nothing listens on. It connects once and
// closes from the accepting side: that leaves the port in TIME_WAIT, in which
// the kernel gives it to nobody who asks for a free one, while a listener that
// names it gets it. macOS and Windows hand out ports in turn and need no such
// trick.
func freePort(host string) (int, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, fmt.Errorf("no free port on %s: %w", host, err)
	}
	defer func() { _ = listener.Close() }()
	_, text, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return 0, err
	}
	port, err := strconv.Atoi(text)
	if err != nil || runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return port, err
	}
	near, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		return 0, fmt.Errorf("no free port on %s: %w", host, err)
	}
	defer func() { _ = near.Close() }()
	far, err := listener.Accept()
	if err != nil {
		return 0, fmt.Errorf("no free port on %s: %w", host, err)
	}
	return port, far.Close()
}
