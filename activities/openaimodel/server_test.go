package openaimodel_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel"
)

const (
	// testKey is long enough to be looked for in messages.
	testKey = "sk-test-0123456789abcdef"

	emptyResponse = `{"id":"resp_1","object":"response","status":"completed","model":"m","output":[]}`
	emptyChat     = `{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":""},"finish_reason":"stop"}]}`
)

// sent is a request as it reached the server.
type sent struct {
	method, path string
	header       http.Header
	body         []byte
}

// modelServer is a scripted model server that remembers what it was sent.
type modelServer struct {
	*httptest.Server
	mu       sync.Mutex
	requests []sent
}

func serve(t *testing.T, handle http.HandlerFunc) *modelServer {
	t.Helper()
	m := &modelServer{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		m.mu.Lock()
		m.requests = append(m.requests, sent{r.Method, r.URL.Path, r.Header.Clone(), body})
		m.mu.Unlock()
		handle(w, r)
	}))
	t.Cleanup(m.Close)
	return m
}

// answer serves one fixed reply.
func answer(t *testing.T, status int, body string, headers ...string) *modelServer {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Add(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func (m *modelServer) seen() []sent {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests
}

// only is the single request that the server must have got.
func (m *modelServer) only(t *testing.T) sent {
	t.Helper()
	require.Len(t, m.seen(), 1)
	return m.seen()[0]
}

func (m *modelServer) client(t *testing.T, api string) *openaimodel.Client {
	t.Helper()
	return build(t, openaimodel.Config{BaseURL: m.URL + "/v1", APIKey: testKey, API: api})
}

func build(t *testing.T, config openaimodel.Config) *openaimodel.Client {
	t.Helper()
	client, err := openaimodel.New(config)
	require.NoError(t, err)
	return client
}

// bodySent asks a model and returns the body of the one request it got.
func bodySent(t *testing.T, api string, request model.Request) []byte {
	t.Helper()
	reply := emptyResponse
	if api == openaimodel.Chat {
		reply = emptyChat
	}
	m := answer(t, http.StatusOK, reply)
	_, err := m.client(t, api).Infer(t.Context(), request)
	require.NoError(t, err)
	return m.only(t).body
}

// field is one field of a JSON object, raw; empty when it is not there.
func field(t *testing.T, body []byte, name string) string {
	t.Helper()
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &fields), "%s", body)
	return string(fields[name])
}

// decoded asks a model that replies with body.
func decoded(t *testing.T, api, body string) (model.Answer, error) {
	t.Helper()
	return answer(t, http.StatusOK, body).client(t, api).Infer(t.Context(), model.Request{Model: "m"})
}

// refused asks a model that must fail with a ModelError.
func refused(t *testing.T, m *modelServer, api string) *model.Error {
	t.Helper()
	_, err := m.client(t, api).Infer(t.Context(), model.Request{Model: "m"})
	var failure *model.Error
	require.ErrorAs(t, err, &failure)
	return failure
}

func items(raw ...string) []json.RawMessage {
	all := make([]json.RawMessage, len(raw))
	for i, one := range raw {
		all[i] = json.RawMessage(one)
	}
	return all
}

func texts(raw []json.RawMessage) []string {
	all := []string{}
	for _, one := range raw {
		all = append(all, string(one))
	}
	return all
}

func settings(pairs ...string) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for i := 0; i+1 < len(pairs); i += 2 {
		all[pairs[i]] = json.RawMessage(pairs[i+1])
	}
	return all
}
