package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"errand/tools/process"
)

const (
	// Both are longer than what errand dev allows its server.
	startLimit = 90 * time.Second
	stopGrace  = 20 * time.Second
)

// dev is a running "errand dev".
type dev struct{ child *process.Child }

// startDev starts errand dev and returns when everything is up. Runs that come
// before its worker wait for it.
func (s *stage) startDev(ctx context.Context, tell *teller, modelURL string) (*dev, error) {
	port, err := freePorts()
	if err != nil {
		return nil, err
	}
	s.address = fmt.Sprintf("127.0.0.1:%d", port)
	s.webUI = fmt.Sprintf("127.0.0.1:%d", port+uiOffset)
	base := "OPENAI_BASE_URL=" + modelURL
	arguments := []string{"dev", "--port", strconv.Itoa(port), "--db", "temporal.db"}
	tell.commandWith(base, arguments...)
	cmd := s.command([]string{base, "ERRAND_FILES_ROOT=files"}, arguments...)
	ready := newSign()
	cmd.Stdout, cmd.Stderr = ready, tell
	child, err := process.Start(cmd)
	if err != nil {
		return nil, err
	}
	d := &dev{child}
	if err := d.await(ctx, ready); err != nil {
		d.stop()
		return nil, err
	}
	return d, nil
}

// sign is given when something has been written. What errand dev prints tells
// people what to try next, which is not for this audience; that it prints it
// means that it is ready.
type sign struct {
	given chan struct{}
	once  sync.Once
}

func newSign() *sign { return &sign{given: make(chan struct{})} }

func (s *sign) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.given) })
	return len(p), nil
}

func (d *dev) await(ctx context.Context, ready *sign) error {
	slow := time.NewTimer(startLimit)
	defer slow.Stop()
	select {
	case <-ready.given:
		return nil
	case <-d.child.Done():
		return d.ended()
	case <-slow.C:
		return errors.New("errand dev is not ready within " + startLimit.String())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (d *dev) ended() error {
	return fmt.Errorf("errand dev has ended with exit code %d: see above", d.child.ExitCode())
}

// keep stays until ctx ends, which is what the user wants here.
func (d *dev) keep(ctx context.Context) error {
	select {
	case <-d.child.Done():
		return d.ended()
	case <-ctx.Done():
		return nil
	}
}

// stop ends the worker, then the server, and waits for both.
func (d *dev) stop() {
	_ = d.child.Stop(context.Background(), stopGrace) // killed or not, it is gone
}
