package world

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Shift is one execution of a call by somebody who had claimed it.
type Shift struct {
	Owner, Key   string
	Begun, Ended time.Time // Ended is zero while it goes on, and if it never ended
}

// Shifts is a world in which executions take a while, and that sees whether two
// work on the same call at once.
type Shifts struct {
	URL string

	mu      sync.Mutex
	shifts  []*Shift
	open    map[string]*Shift // by key
	dead    map[string]bool
	held    map[string]bool
	stuck   map[string]int
	clashes []string
}

// StartShifts serves such a world for the length of a test. lasts says how long
// the nth execution takes.
func StartShifts(t testing.TB, lasts func(n int) time.Duration) *Shifts {
	t.Helper()
	w := &Shifts{open: map[string]*Shift{}, dead: map[string]bool{}, held: map[string]bool{}, stuck: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		owner, key := r.Header.Get("Owner"), r.Header.Get("Idempotency-Key")
		switch r.URL.Path {
		case "/begin":
			n := w.begin(owner, key)
			select {
			case <-time.After(lasts(n)):
			case <-r.Context().Done():
			}
			if w.stick(owner) {
				<-r.Context().Done()
			}
		case "/end", "/leave":
			w.end(owner, key)
		default:
			http.NotFound(rw, r)
		}
	}))
	w.URL = server.URL
	t.Cleanup(server.Close)
	return w
}

func (w *Shifts) begin(owner, key string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if other := w.open[key]; other != nil && !w.dead[other.Owner] {
		w.clashes = append(w.clashes, fmt.Sprintf("%s: %s began while %s was at it", key, owner, other.Owner))
	}
	one := &Shift{Owner: owner, Key: key, Begun: time.Now()}
	w.shifts, w.open[key] = append(w.shifts, one), one
	return len(w.shifts)
}

func (w *Shifts) end(owner, key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.open[key]
	if one == nil || one.Owner != owner {
		w.clashes = append(w.clashes, fmt.Sprintf("%s: %s ended what it did not hold", key, owner))
		return
	}
	one.Ended = time.Now()
	delete(w.open, key)
}

// Died says that an owner does nothing any more.
func (w *Shifts) Died(owner string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead[owner] = true
}

// Hold lets no execution of an owner end from now on.
func (w *Shifts) Hold(owner string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[owner] = true
}

// Stuck counts the executions of an owner that have been kept from their end.
func (w *Shifts) Stuck(owner string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stuck[owner]
}

// stick tells whether an execution is to be kept from its end.
func (w *Shifts) stick(owner string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held[owner] {
		w.stuck[owner]++
	}
	return w.held[owner]
}

// Begun counts the executions so far.
func (w *Shifts) Begun() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.shifts)
}

// All are the executions so far, by key.
func (w *Shifts) All() map[string][]Shift {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string][]Shift{}
	for _, one := range w.shifts {
		all[one.Key] = append(all[one.Key], *one)
	}
	return all
}

// Clashes tells of every call that two worked on at once.
func (w *Shifts) Clashes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.clashes...)
}
