package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"errand/tools"
)

// failure says what an error of the library means, and loses the connection
// where it cannot be used again.
func (c *connection) failure(ctx context.Context, record *requestRecord, err error) *Failure {
	if c.process != nil && errors.Is(err, transport.ErrTransportClosed) {
		switch {
		case c.interceptor.isLost():
			err = c.interceptor.cause
		case c.process.Ended(time.Second):
			err = &Failure{Kind: Lost, Message: c.process.why()}
		}
	}
	if c.process != nil && errors.Is(err, syscall.EPIPE) {
		err = &Failure{Kind: Lost, Message: "the server's process has ended"}
	}
	f := c.explain(ctx, record, err)
	switch f.Kind { //nolint:exhaustive // the others leave the connection as it was
	case Stale, Lost, Malformed, TooLarge:
		if ctx.Err() == nil {
			c.interceptor.markLost(f)
		}
	}
	return f
}

func (c *connection) explain(ctx context.Context, record *requestRecord, err error) *Failure {
	var known *Failure
	record.mu.Lock()
	defer record.mu.Unlock()
	switch {
	case c.interceptor.isLost() && (errors.As(err, &known) && known == c.interceptor.cause || ctx.Err() == nil && errors.Is(err, context.Canceled)):
		return c.endedWith(*c.interceptor.cause, record.sent)
	case errors.As(err, &known):
		f := *known
		f.Unprocessed = f.Unprocessed || !record.sent
		return &f
	case ctx.Err() != nil:
		return &Failure{Kind: Lost, Message: context.Cause(ctx).Error(), Unprocessed: !record.sent}
	case record.tooLarge:
		return &Failure{Kind: TooLarge, Message: fmt.Sprintf("it is over %d bytes", c.target.MaxResponse)}
	case record.status >= 400:
		return statusFailure(record.status, record.retryAfter, c.refusalText(record, err), c.version != "")
	case record.rpcError != nil:
		return c.rpcFailure(record.rpcError)
	case errors.Is(err, errWrongID):
		return &Failure{Kind: Malformed, Message: errWrongID.Error()}
	case errors.Is(err, errRedirect):
		return &Failure{Kind: Refused, Message: errRedirect.Error(), Unprocessed: true}
	case c.process == nil && !record.sent:
		return &Failure{Kind: Unreachable, Message: "the server cannot be reached: " + excerpt(plainError(err)), Unprocessed: true}
	case errors.Is(err, transport.ErrTransportClosed):
		return &Failure{Kind: Lost, Message: "the connection to the server has ended", Unprocessed: !record.sent}
	}
	return &Failure{Kind: Malformed, Message: "the server's answer cannot be used: " + excerpt(plainError(err))}
}

// endedWith is what the end of the connection means for a request that was open.
// What another request met with says nothing of this one but that no answer came.
func (c *connection) endedWith(cause Failure, sent bool) *Failure {
	f := &Failure{Kind: Lost, Message: cause.Message, Unprocessed: !sent}
	switch {
	case cause.Kind == Lost:
	case cause.Kind == TooLarge && c.process != nil && sent && c.interceptor.single:
		f.Kind = TooLarge // over pipes nobody else can have been answered
	default:
		f.Message = "the connection ended with another request: " + cause.Message
	}
	return f
}

func (c *connection) rpcFailure(e *mcp.JSONRPCErrorDetails) *Failure {
	f := &Failure{Kind: RPC, Code: e.Code, Message: fmt.Sprintf("the server answered with error %d: %s", e.Code, excerpt(e.Message))}
	if data, err := json.Marshal(e.Data); err == nil && e.Data != nil && len(data) < 4<<10 {
		f.Data = data
	}
	return f
}

// refusalText is what a server says with a refusal.
func (c *connection) refusalText(record *requestRecord, err error) string {
	if record.rpcError != nil {
		return excerpt(record.rpcError.Message)
	}
	_, text, found := cutAfter(plainError(err), "with status "+strconv.Itoa(record.status)+":")
	if !found {
		return ""
	}
	return excerpt(hiding(c.target.Server).Replace(text))
}

// maxText bounds what failures and warnings quote of a server.
const maxText = 1000

func excerpt(text string) string {
	cut, _ := tools.Cut(strings.TrimSpace(text), maxText)
	return cut
}

// plainError is an error's text without the library's own wrapping.
func plainError(err error) string {
	var at *url.Error // it quotes the address, which may hold a key
	if errors.As(err, &at) {
		err = at.Err
	}
	text := err.Error()
	for _, prefix := range []string{"transport error: ", "failed to send request: "} {
		for strings.HasPrefix(text, prefix) {
			text = strings.TrimPrefix(text, prefix)
		}
	}
	return text
}

func cutAfter(text, mark string) (before, after string, found bool) {
	before, after, found = strings.Cut(text, mark)
	return before, strings.TrimSpace(after), found
}
