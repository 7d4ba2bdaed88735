package activities

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Activation says which opening a call belongs to, or which one to close.
type Activation struct {
	// RunID is the workflow id, Chain the id of the first run of its chain: a
	// later run of the same workflow id has nothing to do with it.
	RunID  string `json:"run_id"`
	Chain  string `json:"chain"`
	Source string `json:"source"`
	Epoch  int    `json:"epoch"`
}

func (a Activation) String() string { return fmt.Sprintf("%s (opening %d)", a.Source, a.Epoch) }

// holder keeps the sessions that live in this worker.
type holder struct {
	mu   sync.Mutex
	held map[Activation]*tenancy
	// shut is true once the worker stops: nothing more is opened.
	shut bool
}

// tenancy is one session on its way from open to closed.
type tenancy struct {
	// cleanup is the workflow that is told when the worker closes the session
	// of its own accord.
	cleanup string
	cancel  context.CancelFunc
	// ready is closed once session and err are set.
	ready   chan struct{}
	session Session
	err     error
}

const (
	// openLimit bounds the opening of a source.
	openLimit = 2 * time.Minute
	// closeLimit bounds the closing of a session. One that takes longer is left
	// behind.
	closeLimit = 10 * time.Second
)

func newHolder() *holder { return &holder{held: map[Activation]*tenancy{}} }

var errShut = errors.New("the worker is stopping: it opens nothing more")

// open opens a session, or waits for the one that is being opened. A failure is
// not kept (CL-3).
func (h *holder) open(ctx context.Context, key Activation, cleanup string, opening func(context.Context) (Session, error)) error {
	h.mu.Lock()
	if h.shut {
		h.mu.Unlock()
		return errShut
	}
	t, there := h.held[key]
	if !there {
		// The opening outlives the attempt that began it: a repeated attempt on
		// this worker finds it here.
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), openLimit)
		t = &tenancy{cleanup: cleanup, cancel: cancel, ready: make(chan struct{})}
		h.held[key] = t
		go h.begin(own, key, t, opening)
	}
	h.mu.Unlock()
	late := time.NewTimer(openLimit + grace)
	defer late.Stop()
	select {
	case <-t.ready:
		return t.err
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
		go func() { _, _ = h.close(context.WithoutCancel(ctx), key) }() // if it opens after all
		return fmt.Errorf("it did not open within %s", openLimit)
	}
}

func (h *holder) begin(ctx context.Context, key Activation, t *tenancy, opening func(context.Context) (Session, error)) {
	defer t.cancel()
	t.session, t.err = guardedOpen(ctx, opening)
	if t.err != nil {
		h.mu.Lock()
		if h.held[key] == t {
			delete(h.held, key)
		}
		h.mu.Unlock()
	}
	close(t.ready)
}

func guardedOpen(ctx context.Context, opening func(context.Context) (Session, error)) (session Session, err error) {
	defer recovered(&err)
	session, err = opening(ctx)
	if err == nil && session == nil {
		err = errors.New("the source opened nothing: Open returned no session")
	}
	return session, err
}

// session is the open session of an activation.
func (h *holder) session(key Activation) (Session, bool) {
	h.mu.Lock()
	t, there := h.held[key]
	h.mu.Unlock()
	if !there {
		return nil, false
	}
	select {
	case <-t.ready:
		return t.session, t.err == nil
	default:
		return nil, false
	}
}

// close closes a session, once; there is nothing to do for one that is not held.
// A session that is being opened is told to give up, and closed if it opens all
// the same.
func (h *holder) close(ctx context.Context, key Activation) (closed bool, err error) {
	h.mu.Lock()
	t, there := h.held[key]
	delete(h.held, key)
	h.mu.Unlock()
	if !there {
		return false, nil
	}
	t.cancel()
	done := make(chan error, 1)
	go func() {
		<-t.ready
		if t.err != nil {
			done <- nil
			return
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
		defer cancel()
		done <- guardedClose(limited, t.session)
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

func guardedClose(ctx context.Context, session Session) (err error) {
	defer recovered(&err)
	return session.Close(ctx)
}

// all lists what is held, with the Cleanup of each.
func (h *holder) all() map[Activation]string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make(map[Activation]string, len(h.held))
	for key, t := range h.held {
		all[key] = t.cleanup
	}
	return all
}

// shutDown refuses every further opening.
func (h *holder) shutDown() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.shut = true
}
