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

// place is where one start attempt listens, every port decided.
type place struct {
	host         string
	port, uiPort int
}

func (p place) address() string { return net.JoinHostPort(p.host, strconv.Itoa(p.port)) }

func (p place) uiAddress() string { return net.JoinHostPort(p.host, strconv.Itoa(p.uiPort)) }

// choose decides the ports that o leaves open.
func (o Options) choose() (place, error) {
	p, err := o.named()
	if err != nil {
		return p, err
	}
	for _, port := range []*int{&p.port, &p.uiPort} {
		if *port != 0 {
			continue
		}
		free, err := freePort(p.host)
		if err != nil {
			return p, err
		}
		*port = free
	}
	return p, nil
}

// named is the place as far as the options name it.
func (o Options) named() (place, error) {
	p := place{host: "127.0.0.1", uiPort: o.UIPort}
	if o.Address == "" {
		return p, nil
	}
	host, port, err := net.SplitHostPort(o.Address)
	if err != nil {
		return p, fmt.Errorf("address %q: want host:port: %w", o.Address, err)
	}
	if host != "" {
		p.host = host
	}
	if p.port, err = strconv.Atoi(port); err != nil || p.port < 0 || p.port > 65535 {
		return p, fmt.Errorf("address %q: want a port number from 0 to 65535", o.Address)
	}
	return p, nil
}

// checkFree fails if a port that the options name is taken.
func (o Options) checkFree(ctx context.Context) error {
	p, err := o.named()
	if err != nil {
		return err
	}
	if p.port != 0 {
		if err := checkFree(ctx, p.address()); err != nil {
			return err
		}
	}
	if p.uiPort != 0 && p.uiPort != NoUI {
		return checkFree(ctx, p.uiAddress())
	}
	return nil
}

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
