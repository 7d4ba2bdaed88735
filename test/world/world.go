// Package world is the outside world of the tests: an HTTP server that tools
// act upon. It logs every effect with the key it came with, so that a test can
// say what happened once, twice or never.
package world

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Effect is one request that reached the world.
type Effect struct {
	Tool string
	Key  string
	Body string
}

// World records effects and can hold a tool in the middle of one.
type World struct {
	URL string

	mu      sync.Mutex
	arrived []Effect
	applied map[string]string // idempotency key → answer
	held    map[string]chan struct{}
}

// Start serves a world for the length of a test.
func Start(t testing.TB) *World {
	t.Helper()
	w := &World{applied: map[string]string{}, held: map[string]chan struct{}{}}
	server := httptest.NewServer(http.HandlerFunc(w.serve))
	w.URL = server.URL
	t.Cleanup(func() {
		w.ReleaseAll()
		server.Close()
	})
	return w
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
	w.mu.Lock()
	defer w.mu.Unlock()
	var some []Effect
	for _, e := range w.arrived {
		if e.Tool == tool {
			some = append(some, e)
		}
	}
	return some
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
	e := Effect{Tool: r.URL.Path[1:], Key: r.Header.Get("Idempotency-Key"), Body: string(body)}
	w.mu.Lock()
	w.arrived = append(w.arrived, e)
	gate := w.held[e.Tool]
	w.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	answer, repeated := w.applied[e.Key]
	if !repeated {
		answer = fmt.Sprintf("%s done for %s", e.Tool, e.Body)
		w.applied[e.Key] = answer
	}
	_, _ = io.WriteString(rw, answer)
}
