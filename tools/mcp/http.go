package mcp

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"

	"errand/tools/retryafter"
)

// KeyHeader carries the idempotency key of a call over HTTP. Its name is not
// that of the draft standard: Go's HTTP client repeats requests with that one.
const KeyHeader = "Errand-Call-Key"

// httpRoundTripper is the HTTP side of a connection: it adds credentials,
// bounds what comes back, and keeps what the library drops.
type httpRoundTripper struct {
	base        http.RoundTripper
	interceptor *interceptor
	headers     map[string]string
	limit       int
	// streamed is called when a stream of events that no request waits for has
	// ended: the whole connection has, over SSE.
	streamed func()
}

var (
	errOver     = errors.New("the answer is larger than the limit")
	errRedirect = errors.New("the server redirects to another host, or with a status that loses the request")
)

// newHTTPClient is the client of one connection. Only redirects that stay on
// the host and keep the request are followed.
func newHTTPClient(w *httpRoundTripper) *http.Client {
	return &http.Client{Transport: w, CheckRedirect: func(next *http.Request, before []*http.Request) error {
		first := before[0]
		same := next.URL.Scheme == first.URL.Scheme && next.URL.Host == first.URL.Host
		if !same || next.Method != first.Method || len(before) > 5 {
			return errRedirect
		}
		return nil
	}}
}

func (w *httpRoundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	record := recordOf(request.Context())
	request = request.Clone(request.Context())
	for name, value := range w.headers {
		request.Header.Set(name, value)
	}
	if record.key != "" {
		request.Header.Set(KeyHeader, record.key)
	}
	request.Header.Set("Accept-Encoding", "gzip")
	before := record.isSent()
	if _, asked := request.Context().Value(recordKey{}).(*requestRecord); asked && !w.interceptor.markSent(&openRequest{requestRecord: record}) {
		return nil, w.interceptor.cause // the caller has been told that the request did not leave
	}
	response, err := w.base.RoundTrip(request)
	if err != nil {
		if dialFailed(err) {
			record.note(func(record *requestRecord) { record.sent = before })
		}
		return nil, err
	}
	record.note(func(record *requestRecord) {
		record.status = response.StatusCode
		wait, _ := retryafter.Wait(response.Header, time.Now())
		record.retryAfter = min(wait, maxRetryAfter)
	})
	w.bound(request, response, record)
	return response, nil
}

// bound keeps a body within the limit, also once it is unpacked.
func (w *httpRoundTripper) bound(request *http.Request, response *http.Response, record *requestRecord) {
	body := response.Body
	var from io.Reader = body
	if strings.EqualFold(response.Header.Get("Content-Encoding"), "gzip") {
		from = &gzipBody{from: body}
		response.Header.Del("Content-Encoding")
		response.ContentLength = -1
	}
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	limit := w.limit
	if response.StatusCode >= http.StatusBadRequest {
		limit = min(limit, 64<<10)
	}
	b := &boundedReader{from: from, limit: limit, end: errOver, over: func() { record.note(func(record *requestRecord) { record.tooLarge = true }) }}
	if media == "text/event-stream" {
		b.events = true
	} else {
		b.whole = true
	}
	response.Body = &stream{Reader: b, Closer: body}
	if b.events && request.Method == http.MethodGet && w.streamed != nil {
		response.Body = &stream{Reader: &endNotifier{b, w.streamed}, Closer: body}
	}
}

// dialFailed tells whether an error came before a byte of the request left.
func dialFailed(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// maxRetryAfter bounds what a server may ask to wait.
const maxRetryAfter = time.Hour

// transportFor is the HTTP transport of a server. Only addresses that the
// dialler allows are connected to.
func transportFor(dial func(ctx context.Context, network, address string) (net.Conn, error), proxy bool) *http.Transport {
	t := &http.Transport{
		DialContext: dial, ForceAttemptHTTP2: true, DisableCompression: true,
		TLSHandshakeTimeout: 10 * time.Second, MaxIdleConns: 64, MaxIdleConnsPerHost: 16,
		IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10,
	}
	if proxy {
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}
