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
func (c *conn) failure(ctx context.Context, x *exchange, err error) *Failure {
	if c.process != nil && errors.Is(err, transport.ErrTransportClosed) {
		switch {
		case c.tap.isLost():
			err = c.tap.cause
		case c.process.Ended(time.Second):
			err = &Failure{Kind: Lost, Message: c.process.why()}
		}
	}
	if c.process != nil && errors.Is(err, syscall.EPIPE) {
		err = &Failure{Kind: Lost, Message: "the server's process has ended"}
	}
	f := c.explain(ctx, x, err)
	switch f.Kind { //nolint:exhaustive // the others leave the connection as it was
	case Stale, Lost, Malformed, TooLarge:
		if ctx.Err() == nil {
			c.tap.lose(f)
		}
	}
	return f
}

func (c *conn) explain(ctx context.Context, x *exchange, err error) *Failure {
	var known *Failure
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case c.tap.isLost() && (errors.As(err, &known) && known == c.tap.cause || ctx.Err() == nil && errors.Is(err, context.Canceled)):
		return c.endedWith(*c.tap.cause, x.touched)
	case errors.As(err, &known):
		f := *known
		f.Untouched = f.Untouched || !x.touched
		return &f
	case ctx.Err() != nil:
		return &Failure{Kind: Lost, Message: context.Cause(ctx).Error(), Untouched: !x.touched}
	case x.over:
		return &Failure{Kind: TooLarge, Message: fmt.Sprintf("it is over %d bytes", c.target.MaxResponse)}
	case x.status >= 400:
		return statusFailure(x.status, x.retry, c.serversText(x, err), c.version != "")
	case x.rpc != nil:
		return c.rpcFailure(x.rpc)
	case errors.Is(err, errWrongID):
		return &Failure{Kind: Malformed, Message: errWrongID.Error()}
	case errors.Is(err, errRedirect):
		return &Failure{Kind: Refused, Message: errRedirect.Error(), Untouched: true}
	case c.process == nil && !x.touched:
		return &Failure{Kind: Unreachable, Message: "the server cannot be reached: " + short(plainError(err)), Untouched: true}
	case errors.Is(err, transport.ErrTransportClosed):
		return &Failure{Kind: Lost, Message: "the connection to the server has ended", Untouched: !x.touched}
	}
	return &Failure{Kind: Malformed, Message: "the server's answer cannot be used: " + short(plainError(err))}
}

// endedWith is what the end of the connection means for a request that was open.
// What another request met with says nothing of this one but that no answer came.
func (c *conn) endedWith(cause Failure, touched bool) *Failure {
	f := &Failure{Kind: Lost, Message: cause.Message, Untouched: !touched}
	switch {
	case cause.Kind == Lost:
	case cause.Kind == TooLarge && c.process != nil && touched && c.tap.single:
		f.Kind = TooLarge // over pipes nobody else can have been answered
	default:
		f.Message = "the connection ended with another request: " + cause.Message
	}
	return f
}

func (c *conn) rpcFailure(e *mcp.JSONRPCErrorDetails) *Failure {
	f := &Failure{Kind: RPC, Code: e.Code, Message: fmt.Sprintf("the server answered with error %d: %s", e.Code, short(e.Message))}
	if data, err := json.Marshal(e.Data); err == nil && e.Data != nil && len(data) < 4<<10 {
		f.Data = data
	}
	return f
}

// serversText is what a server says with a refusal.
func (c *conn) serversText(x *exchange, err error) string {
	if x.rpc != nil {
		return short(x.rpc.Message)
	}
	_, text, found := cutAfter(plainError(err), "with status "+strconv.Itoa(x.status)+":")
	if !found {
		return ""
	}
	return short(hiding(c.target.Server).Replace(text))
}

// maxText bounds what failures and warnings quote of a server.
const maxText = 1000

func short(text string) string {
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
