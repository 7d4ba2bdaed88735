package harness

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// ScriptedModel is a model server over HTTP that says what its script tells it
// to. It speaks the Responses and the Chat Completions API, whole and streamed,
// and remembers every request.
type ScriptedModel struct {
	script   Script
	released chan struct{}

	mu       sync.Mutex
	requests []Request
	hanging  int
	server   *http.Server
	address  string
}

// NewScriptedModel makes a model that listens nowhere yet.
func NewScriptedModel(script Script) *ScriptedModel {
	return &ScriptedModel{script: script, released: make(chan struct{})}
}

// StartModel starts a model on a free port for the length of a test.
func StartModel(t testing.TB, script Script) *ScriptedModel {
	t.Helper()
	model := NewScriptedModel(script)
	if err := model.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	return model
}

// Start listens on address (host:port). After Close it may be called again: a
// model server that comes back keeps what it has recorded.
func (m *ScriptedModel) Start(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("the scripted model cannot listen on %s: %w", address, err)
	}
	server := &http.Server{
		Handler:           http.HandlerFunc(m.serve),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	m.mu.Lock()
	m.server, m.address = server, listener.Addr().String()
	m.mu.Unlock()
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic("harness: the scripted model stopped: " + err.Error())
		}
	}()
	return nil
}

// Close breaks all connections and stops listening.
func (m *ScriptedModel) Close() {
	m.mu.Lock()
	server := m.server
	m.mu.Unlock()
	if server != nil {
		_ = server.Close()
	}
}

// Address is the host:port it listens on.
func (m *ScriptedModel) Address() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.address
}

// URL is the base URL for a client, such as OPENAI_BASE_URL.
func (m *ScriptedModel) URL() string { return "http://" + m.Address() + "/v1" }

// Requests are all requests so far, in order of arrival.
func (m *ScriptedModel) Requests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// Release lets every answer go that hangs, and those that would from now on.
func (m *ScriptedModel) Release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case <-m.released:
	default:
		close(m.released)
	}
}

// Hanging is how many requests wait for Release at the moment.
func (m *ScriptedModel) Hanging() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.hanging
}
