package world

import (
	"context"
	"time"
)

// Stall holds one effect for as long as a test likes, and answers it in words
// of its own: an answer that comes too late can then be told from the others.
type Stall struct {
	// Arrived gets the effect.
	Arrived chan Effect
	answer  string
	release chan struct{}
}

// Stall holds the next effect of a tool. What arrives after it is served as
// ever.
func (w *World) Stall(tool, answer string) *Stall {
	s := &Stall{Arrived: make(chan Effect, 1), answer: answer, release: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stalls[tool] = s
	return s
}

// Release gives the answer.
func (s *Stall) Release() { close(s.release) }

func (s *Stall) wait(ctx context.Context, e Effect) string {
	if s == nil {
		return ""
	}
	s.Arrived <- e
	select {
	case <-s.release:
	case <-ctx.Done():
	}
	return s.answer
}

// take passes the time that an effect takes. It is not cut short when the
// caller goes away: what has reached the world happens.
func take(pace time.Duration) {
	if pace > 0 {
		<-time.After(pace)
	}
}
