package mcp

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"errand/tools/mcp/mcpconfig"
)

// connector opens connections to one target.
type connector struct {
	target target
	log    Logger
	// changed is called when the server says that its tools have.
	changed func()
}

// lastLegacy is the newest version with a handshake. A server may answer with
// an older one.
const lastLegacy = "2025-11-25"

// silent keeps the library's own log out of the worker's.
var silent = slog.New(slog.DiscardHandler)

// open connects and shakes hands. The connection lives until it is closed,
// whatever becomes of ctx, which bounds the opening only.
func (c connector) open(ctx context.Context) (*connection, error) {
	ctx, cancel := context.WithTimeout(ctx, c.target.StartTimeout)
	defer cancel()
	switch c.target.Transport {
	case mcpconfig.TransportStdio:
		opened, err := c.attempt(ctx, mcpconfig.TransportStdio, false)
		if err != nil && c.target.Protocol == mcpconfig.ProtocolAuto && ctx.Err() == nil && processDied(err) {
			// Some servers end on the first message that they do not know.
			return c.attempt(ctx, mcpconfig.TransportStdio, true)
		}
		return opened, err
	case mcpconfig.TransportSSE:
		return c.attempt(ctx, mcpconfig.TransportSSE, true)
	}
	opened, err := c.attempt(ctx, mcpconfig.TransportHTTP, false)
	if err != nil && c.target.Transport == mcpconfig.TransportAny && likelySSE(err) && ctx.Err() == nil {
		if older, olderErr := c.attempt(ctx, mcpconfig.TransportSSE, true); olderErr == nil {
			return older, nil
		}
	}
	return opened, err
}

// processDied tells whether a server's process ended while it was shaken hands
// with.
func processDied(err error) bool {
	var f *Failure
	return errors.As(err, &f) && f.Kind == Lost
}

// likelySSE tells whether a server's refusal means that it may only know the
// older transport.
func likelySSE(err error) bool {
	var f *Failure
	return errors.As(err, &f) && (f.Status == 404 || f.Status == 405 || f.Status == 400)
}

func (c connector) attempt(ctx context.Context, kind string, legacy bool) (*connection, error) {
	made := &connection{target: c.target, interceptor: newInterceptor(prefix()), progress: map[string]func(string){}}
	over, err := made.dial(kind, c.log)
	if err != nil {
		return nil, err
	}
	var options []client.ClientOption
	switch {
	case legacy || c.target.Protocol == mcpconfig.ProtocolLegacy:
		options = append(options, client.WithProtocolVersion(lastLegacy))
	case kind == mcpconfig.TransportStdio: // what installs itself first is slow
		options = append(options, client.WithDiscoverTimeout(min(c.target.StartTimeout/3, 10*time.Second)))
	}
	made.client = client.NewClient(over, options...)
	made.client.OnNotification(func(n mcp.JSONRPCNotification) {
		switch n.Method {
		case mcp.MethodNotificationToolsListChanged:
			c.changed()
		case "notifications/progress":
			made.reportProgress(n)
		}
	})
	record := &requestRecord{}
	err = made.handshake(withRecord(ctx, record))
	if err == nil && c.target.Protocol == mcpconfig.ProtocolModern && !made.modern {
		err = &Failure{Kind: Refused, Unprocessed: true, Message: "the server does not speak the modern protocol (2026-07-28), which its configuration asks for"}
	}
	if err != nil {
		f := made.failure(ctx, record, err)
		//nolint:contextcheck // a connection is closed whatever becomes of the call
		made.close()
		if ctx.Err() != nil && context.Cause(ctx) == context.DeadlineExceeded { //nolint:errorlint // the cause itself
			return nil, &Failure{Kind: Unreachable, Unprocessed: true, Message: fmt.Sprintf("the server was not ready within %s", c.target.StartTimeout)}
		}
		f.Unprocessed = true // nothing was called yet
		return nil, f
	}
	return made, nil
}

// prefix makes ids of requests that no other connection uses: servers that mix
// their clients up would answer one with another's result.
func prefix() string {
	var b [6]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:]) + "-"
}

// dial makes the transport of a connection.
func (c *connection) dial(kind string, log Logger) (transport.Interface, error) {
	if kind == mcpconfig.TransportStdio {
		return c.dialProcess(log)
	}
	headers := map[string]string{}
	for name, value := range c.target.Headers {
		headers[name] = string(value)
	}
	dialContext := (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	if c.target.fromRequest {
		dialContext = c.target.allowed.Dial
	}
	base := transportFor(dialContext, !c.target.fromRequest)
	c.idle = base.CloseIdleConnections
	w := &httpRoundTripper{base: base, interceptor: c.interceptor, headers: headers, limit: c.target.MaxResponse}
	if kind == mcpconfig.TransportSSE {
		w.streamed = func() { c.interceptor.markLost(&Failure{Kind: Lost, Message: "the server ended its stream of events"}) }
		sse, err := transport.NewSSE(c.target.URL, transport.WithHTTPClient(newHTTPClient(w)),
			transport.WithSSELogger(silent), transport.WithEndpointTimeout(c.target.StartTimeout),
			transport.WithResponseTimeout(365*24*time.Hour))
		if err != nil {
			return nil, err
		}
		return &sseTransport{sse, c.interceptor}, nil
	}
	over, err := transport.NewStreamableHTTP(c.target.URL, transport.WithHTTPBasicClient(newHTTPClient(w)), transport.WithHTTPLogger(silent))
	if err != nil {
		return nil, err
	}
	c.interceptor.cancelsByClosing = func() bool { return c.isModern.Load() }
	return &httpTransport{over, c.interceptor}, nil
}

func (c *connection) dialProcess(log Logger) (transport.Interface, error) {
	p, err := spawn(c.target.Server, log)
	if err != nil {
		return nil, err
	}
	c.process = p
	go func() {
		<-p.Done()
		c.interceptor.markLost(&Failure{Kind: Lost, Message: p.why()})
	}()
	over := func() {
		c.interceptor.markLost(&Failure{Kind: TooLarge, Message: fmt.Sprintf("a message of the server is over %d bytes", c.target.MaxResponse)})
	}
	in := &boundedReader{from: p.stdout, limit: c.target.MaxResponse, end: io.EOF, over: over}
	out := stdinWriter{to: p.stdin, interceptor: c.interceptor, failed: func(err error) {
		c.interceptor.markLost(&Failure{Kind: Lost, Message: "the server does not read what it is sent: " + err.Error()})
	}}
	return &stdioTransport{transport.NewIO(in, out, io.NopCloser(strings.NewReader(""))), c.interceptor}, nil
}
