package devserver

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// stopGrace is how long a server may take to stop before it is killed.
const stopGrace = 10 * time.Second

// Server is a running dev server. It ends with this process at the latest.
type Server struct {
	// Address is the host:port that clients dial.
	Address string
	// UIURL is where a browser finds the Web UI; empty without one.
	UIURL string

	child  *Child
	output *tail
}

// PID is the process id of the server.
func (s *Server) PID() int { return s.child.PID() }

// Done is closed when the server has ended, for whatever reason.
func (s *Server) Done() <-chan struct{} { return s.child.Done() }

// LastOutput is the end of what the server wrote, to explain why it ended.
func (s *Server) LastOutput() string { return s.output.lines(tailLines) }

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
	select {
	case <-s.Done():
		return nil
	default:
	}
	s.child.Signal(syscall.SIGTERM)
	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	select {
	case <-s.Done():
		return nil
	case <-grace.C:
		s.Kill()
		return errors.New("the Temporal dev server did not stop in " + stopGrace.String() + " and was killed")
	case <-ctx.Done():
		s.Kill()
		return fmt.Errorf("the Temporal dev server had not stopped and was killed: %w", context.Cause(ctx))
	}
}
