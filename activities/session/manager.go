package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	"errand/activities/usercode"
	"errand/tools"
)

// Manager opens and closes the sessions of one worker. Calls of these sessions
// come by a task queue that only this worker polls.
type Manager struct {
	queue  string
	engine Engine
	// slots bounds the calls that execute at once.
	slots    chan struct{}
	mu       sync.Mutex
	sessions map[ID]*entry
	// stopping is true once the worker stops: nothing more is opened.
	stopping bool
}

// Engine is what a Manager asks of Temporal. A client.Client satisfies it.
type Engine interface {
	SignalWorkflow(ctx context.Context, workflowID, runID, signal string, payload any) error
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
}

// NewManager makes the manager of a worker that polls queue; it opens nothing
// where that is empty. At most calls execute at once.
func NewManager(queue string, calls int, engine Engine) *Manager {
	return &Manager{queue: queue, engine: engine, slots: make(chan struct{}, calls), sessions: map[ID]*entry{}}
}

// Queue is the worker's own task queue; empty if it has none.
func (m *Manager) Queue() string { return m.queue }

// Acquire waits for a place among the calls on this worker's own queue. They are
// all taken from the queue at once and wait here: a call that nobody takes is
// then a sign of a worker that is gone, and never of one that has much to do.
func (m *Manager) Acquire(ctx context.Context) (release func(), err error) {
	select {
	case m.slots <- struct{}{}:
		return func() { <-m.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// entry is one session on its way from open to closed.
type entry struct {
	// cleanup is the workflow that is told when the worker closes the session
	// of its own accord.
	cleanup string
	cancel  context.CancelFunc
	// ready is closed once session and err are set.
	ready   chan struct{}
	session tools.Session
	err     error
}

const (
	// openLimit bounds the opening of a source.
	openLimit = 2 * time.Minute
	// openGrace is how long an opening may take to return once its time is up.
	openGrace = 5 * time.Second
	// closeLimit bounds the closing of a session. One that takes longer is left
	// behind.
	closeLimit = 10 * time.Second
)

// ErrStopping is the error of an Open after StopOpening.
var ErrStopping = errors.New("the worker is stopping: it opens nothing more")

// OpenFunc opens a session.
type OpenFunc func(context.Context) (tools.Session, error)

// Open opens a session, or waits for the one that is being opened. A failure is
// not kept. Cleanup is the workflow that is told when the worker closes the
// session of its own accord.
func (m *Manager) Open(ctx context.Context, id ID, cleanup string, open OpenFunc) error {
	m.mu.Lock()
	if m.stopping {
		m.mu.Unlock()
		return ErrStopping
	}
	e, there := m.sessions[id]
	if !there {
		// The opening outlives the attempt that began it: a repeated attempt on
		// this worker finds it here.
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), openLimit)
		e = &entry{cleanup: cleanup, cancel: cancel, ready: make(chan struct{})}
		m.sessions[id] = e
		go m.begin(own, id, e, open)
	}
	m.mu.Unlock()
	late := time.NewTimer(openLimit + openGrace)
	defer late.Stop()
	select {
	case <-e.ready:
		return e.err
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		go func() { _, _ = m.Close(context.WithoutCancel(ctx), id) }() // if it opens after all
		return fmt.Errorf("it did not open within %s", openLimit)
	}
}

func (m *Manager) begin(ctx context.Context, id ID, e *entry, open OpenFunc) {
	defer e.cancel()
	e.session, e.err = callOpen(ctx, open)
	if e.err != nil {
		m.mu.Lock()
		if m.sessions[id] == e {
			delete(m.sessions, id)
		}
		m.mu.Unlock()
	}
	close(e.ready)
}

func callOpen(ctx context.Context, open OpenFunc) (session tools.Session, err error) {
	defer usercode.Recover(&err)
	session, err = open(ctx)
	if err == nil && session == nil {
		err = errors.New("the source opened nothing: Open returned no session")
	}
	return session, err
}

// Get returns a session that is open.
func (m *Manager) Get(id ID) (tools.Session, bool) {
	m.mu.Lock()
	e, there := m.sessions[id]
	m.mu.Unlock()
	if !there {
		return nil, false
	}
	select {
	case <-e.ready:
		return e.session, e.err == nil
	default:
		return nil, false
	}
}

// Close closes a session, once; there is nothing to do for one that is not held.
// A session that is being opened is told to give up, and closed if it opens all
// the same.
func (m *Manager) Close(ctx context.Context, id ID) (closed bool, err error) {
	m.mu.Lock()
	e, there := m.sessions[id]
	delete(m.sessions, id)
	m.mu.Unlock()
	if !there {
		return false, nil
	}
	e.cancel()
	done := make(chan error, 1)
	go func() {
		<-e.ready
		if e.err != nil {
			done <- nil
			return
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
		defer cancel()
		done <- callClose(limited, e.session)
	}()
	late := time.NewTimer(closeLimit + time.Second)
	defer late.Stop()
	select {
	case err = <-done:
		return true, err
	case <-late.C:
		return true, fmt.Errorf("it did not close within %s", closeLimit)
	}
}

func callClose(ctx context.Context, session tools.Session) (err error) {
	defer usercode.Recover(&err)
	return session.Close(ctx)
}

// cleanups lists the sessions that are not closed, with the Cleanup of each.
func (m *Manager) cleanups() map[ID]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make(map[ID]string, len(m.sessions))
	for id, e := range m.sessions {
		all[id] = e.cleanup
	}
	return all
}

// StopOpening refuses every further session.
func (m *Manager) StopOpening() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopping = true
}
