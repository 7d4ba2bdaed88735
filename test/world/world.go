// Package world is the outside world of the tests: an HTTP server that tools
// act upon. It logs every effect with the key it came with, so that a test can
// say what happened once, twice or never.
package world

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Effect is one request that reached the world.
type Effect struct {
	Tool string
	Key  string
	Body string
	// Worker is the process that sent it, if it said so.
	Worker string
	// Session is the id of the session it happened in, if any.
	Session string
	At      time.Time
}

// Phase is how far an effect has come.
type Phase int

const (
	// Arrives is the moment before the world does anything about an effect.
	Arrives Phase = iota
	// Answered is the moment after the answer has left.
	Answered
)

// World records effects and can hold a tool in the middle of one.
type World struct {
	URL string

	mu       sync.Mutex
	arrived  []Effect
	sessions []Session
	applied  map[string]string // idempotency key → answer
	held     map[string]chan struct{}
	stalls   map[string]*Stall
	pace     time.Duration
	watch    func(Effect, Phase)
}

// Start serves a world for the length of a test.
func Start(t testing.TB) *World {
	t.Helper()
	w := &World{
		applied: map[string]string{}, held: map[string]chan struct{}{},
		stalls: map[string]*Stall{}, watch: func(Effect, Phase) {},
	}
	server := httptest.NewServer(http.HandlerFunc(w.serve))
	w.URL = server.URL
	t.Cleanup(func() {
		w.ReleaseAll()
		server.CloseClientConnections() // those of a stopped process would be waited for
		server.Close()
	})
	return w
}

// Pace makes every effect take this long.
func (w *World) Pace(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pace = d
}

// Watch tells about every effect, while the effect waits. There is one
// watcher.
func (w *World) Watch(watch func(Effect, Phase)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch = watch
}

// Hold makes every effect of a tool wait until Release.
func (w *World) Hold(tool string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[tool] = make(chan struct{})
}

// Release lets the effects of a tool go on.
func (w *World) Release(tool string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if gate, ok := w.held[tool]; ok {
		close(gate)
		delete(w.held, tool)
	}
}

// ReleaseAll lets everything go on.
func (w *World) ReleaseAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for tool, gate := range w.held {
		close(gate)
		delete(w.held, tool)
	}
}

// Arrived are the requests for a tool so far, repeats included.
func (w *World) Arrived(tool string) []Effect {
	return slices.DeleteFunc(w.All(), func(e Effect) bool { return e.Tool != tool })
}

// All are the requests so far, in order of arrival, repeats included.
func (w *World) All() []Effect {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.arrived)
}

// Applied counts the different keys that had an effect.
func (w *World) Applied() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.applied)
}

func (w *World) serve(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	e := Effect{
		Tool: r.URL.Path[1:], Key: r.Header.Get("Idempotency-Key"), Body: string(body),
		Worker: r.Header.Get("Worker"), Session: r.Header.Get(sessionHeader), At: time.Now(),
	}
	if answer, is := w.session(r.URL.Path, e); is {
		_, _ = io.WriteString(rw, answer)
		return
	}
	w.mu.Lock()
	w.arrived = append(w.arrived, e)
	gate, stall, watch, pace := w.held[e.Tool], w.stalls[e.Tool], w.watch, w.pace
	delete(w.stalls, e.Tool)
	w.mu.Unlock()
	watch(e, Arrives)
	if gate != nil {
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	answer := stall.wait(r.Context(), e)
	if stall == nil {
		take(pace)
		answer = w.apply(e)
	}
	// With its length, so that the caller has all of it before Answered.
	rw.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	_, _ = io.WriteString(rw, answer)
	_ = http.NewResponseController(rw).Flush()
	watch(e, Answered)
}

// apply has the effect of e, once a key, and gives the answer of that key.
func (w *World) apply(e Effect) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	answer, repeated := w.applied[e.Key]
	if e.Tool == "reconcile" { // a question, and no effect
		if !repeated {
			return "not done"
		}
		return "done: " + answer
	}
	if !repeated {
		answer = fmt.Sprintf("%s done for %s", e.Tool, e.Body)
		w.applied[e.Key] = answer
	}
	return answer
}
