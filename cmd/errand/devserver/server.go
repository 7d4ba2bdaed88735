// Package devserver finds, builds and runs a Temporal development server as a
// child process. `errand dev`, the tests and the benchmarks start their server
// here, all with the same settings: a dev server left at its defaults spends
// 50 ms on every hop, this one a few.
//
// It is not for production: what it starts is `temporal server start-dev`.
package devserver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"errand/tools/process"
)

const (
	// stopGrace is how long a server may take to stop before it is killed.
	stopGrace = 10 * time.Second
	// tailBytes is how much of a process's output is kept, tailLines how much
	// of it an error quotes.
	tailBytes = 16 << 10
	tailLines = 12
)

// Server is a running dev server. It ends with this process at the latest.
type Server struct {
	// Address is the host:port that clients dial.
	Address string
	// UIURL is where a browser finds the Web UI; empty without one.
	UIURL string

	child  *process.Child
	output *process.Tail
}

// PID is the process id of the server.
func (s *Server) PID() int { return s.child.PID() }

// Done is closed when the server has ended, for whatever reason.
func (s *Server) Done() <-chan struct{} { return s.child.Done() }

// LastOutput is the end of what the server wrote, to explain why it ended.
func (s *Server) LastOutput() string { return s.output.Lines(tailLines) }

// Ended is the error of a server that has ended by itself, with the last that
// it wrote.
func (s *Server) Ended() error { return s.explained(errors.New("the Temporal dev server has ended")) }

// explained adds to an error what the server wrote last, if it wrote anything.
func (s *Server) explained(err error) error {
	if said := s.LastOutput(); said != "" {
		return fmt.Errorf("%w:\n%s", err, said)
	}
	return err
}

// Kill ends the server at once and waits for that. It is what a crash does.
func (s *Server) Kill() {
	select {
	case <-s.Done():
	default:
		s.child.Kill()
		<-s.Done()
	}
}

// Stop ends the server and waits for its end. It asks first, and kills after
// ten seconds or when ctx ends; then it returns an error, though the server is
// gone. Stopping one that has ended does nothing.
func (s *Server) Stop(ctx context.Context) error {
	if err := s.child.Stop(ctx, stopGrace); err != nil {
		return fmt.Errorf("the Temporal dev server %w", err)
	}
	return nil
}
