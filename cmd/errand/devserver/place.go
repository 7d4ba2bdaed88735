package devserver

import (
	"context"
	"fmt"
	"net"
	"strconv"
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
