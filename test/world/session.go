package world

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Session is one opening of something that lives in a worker.
type Session struct {
	// ID is unique in the world, Name what was opened.
	ID, Name string
	Worker   string
	Opened   time.Time
	// Closed has the time of every closing.
	Closed []time.Time
}

// Sessions are all openings so far, in their order.
func (w *World) Sessions() []Session {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := slices.Clone(w.sessions)
	for i := range all {
		all[i].Closed = slices.Clone(all[i].Closed)
	}
	return all
}

// Paths of what is no effect.
const (
	OpenPath  = "/room/open"
	ClosePath = "/room/close"
)

// open answers the id of a new session. Its key is the name.
func (w *World) open(e Effect) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := Session{ID: fmt.Sprintf("session-%d", len(w.sessions)+1), Name: e.Key, Worker: e.Worker, Opened: e.At}
	w.sessions = append(w.sessions, s)
	return s.ID
}

// close closes the session of an id.
func (w *World) close(e Effect) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.sessions {
		if s := &w.sessions[i]; s.ID == e.Key {
			s.Closed = append(s.Closed, e.At)
			return fmt.Sprintf("%s closed %d times", s.ID, len(s.Closed))
		}
	}
	return "no such session"
}

// session serves what is no effect, and tells whether it was that.
func (w *World) session(path string, e Effect) (answer string, is bool) {
	switch path {
	case OpenPath:
		return w.open(e), true
	case ClosePath:
		return w.close(e), true
	}
	return "", false
}

// sessionHeader names the session that an effect happens in.
const sessionHeader = "Session"

// In marks a request as made in a session.
func In(request *http.Request, session string) {
	if session != "" {
		request.Header.Set(sessionHeader, session)
	}
}
