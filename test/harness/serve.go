package harness

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

func (m *ScriptedModel) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away in the middle of its request
	}
	request := Request{Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Body: body, At: time.Now()}
	m.mu.Lock()
	m.requests = append(m.requests, request)
	m.mu.Unlock()

	spoken, known := dialects[r.URL.Path]
	switch {
	case known && r.Method == http.MethodPost:
		m.infer(r.Context(), w, spoken, request)
	case r.URL.Path == "/v1/models" && r.Method == http.MethodGet:
		delivery{status: http.StatusOK, chunks: [][]byte{models}}.send(w)
	default:
		refuse(w, http.StatusNotFound, "unknown_url", fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path))
	}
}

// models is the answer of GET /v1/models.
var models = fmt.Appendf(nil,
	`{"object":"list","data":[{"id":"scripted","object":"model","created":%d,"owned_by":"errand"}]}`, createdAt)

func (m *ScriptedModel) infer(ctx context.Context, w http.ResponseWriter, spoken dialect, request Request) {
	decoded, err := spoken.decode(request)
	if err != nil {
		refuse(w, http.StatusBadRequest, "invalid_json", err.Error())
		return
	}
	answer := m.script(decoded)
	if !m.wait(ctx, answer.manner) {
		return
	}
	reply := newReply(decoded, answer)
	w.Header().Set("X-Request-Id", "req_"+reply.key)
	for name, values := range answer.header {
		w.Header()[name] = values
	}
	deliver(reply, spoken).send(w)
}

// wait delays an answer as its manner says, and tells whether the client is
// still there to hear it.
func (m *ScriptedModel) wait(ctx context.Context, manner manner) bool {
	if manner.hang {
		m.countHanging(1)
		defer m.countHanging(-1)
		select {
		case <-m.released:
		case <-ctx.Done():
			return false
		}
	}
	timer := time.NewTimer(manner.after)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (m *ScriptedModel) countHanging(change int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hanging += change
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	delivery{status: status, chunks: [][]byte{errorBody(status, code, message)}}.send(w)
}
