package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"errand/tools"
)

// conn is one connection to a server.
type conn struct {
	target  target
	client  *client.Client
	tap     *tap
	process *serverProcess // nil over HTTP
	idle    func()         // closes idle HTTP connections

	// version is the protocol's, of this connection.
	version  string
	modern   bool
	isModern atomic.Bool

	mu       sync.Mutex
	tokens   int64
	progress map[string]func(string)

	closeOnce sync.Once
}

func (c *conn) shake(ctx context.Context) error {
	// The stream of events belongs to the connection, not to who opens it.
	if err := c.client.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	request := mcp.InitializeRequest{}
	request.Params.ClientInfo = mcp.Implementation{Name: "errand", Version: tools.Version}
	if _, err := c.client.Initialize(ctx, request); err != nil {
		return err
	}
	c.version = c.client.ProtocolVersion()
	c.modern = mcp.IsModernProtocol(c.version)
	c.isModern.Store(c.modern)
	return nil
}

const (
	maxPages = 100
	// MaxListed bounds the tools that are read of one server.
	MaxListed = 5000
)

// list reads the server's tools, each as the server wrote it. refused names
// those that the library must not call over HTTP.
func (c *conn) list(ctx context.Context) (all []json.RawMessage, refused map[string]bool, err error) {
	seen := map[string]bool{}
	refused = map[string]bool{}
	var request mcp.ListToolsRequest
	for range maxPages {
		x := &exchange{}
		known, err := c.client.ListToolsByPage(withExchange(ctx, x), request)
		if err != nil {
			return nil, nil, c.failure(ctx, x, err)
		}
		var page struct {
			Tools  []json.RawMessage `json:"tools"`
			Cursor *string           `json:"nextCursor"`
		}
		if err := json.Unmarshal(x.result, &page); err != nil {
			return nil, nil, &Failure{Kind: Malformed, Untouched: true, Message: "the server's list of tools cannot be read: " + err.Error()}
		}
		all = append(all, page.Tools...)
		c.noteRefused(x.result, known, refused)
		switch {
		case len(all) > MaxListed:
			return nil, nil, &Failure{Kind: TooLarge, Message: fmt.Sprintf("the server lists more than %d tools", MaxListed)}
		case page.Cursor == nil || (*page.Cursor == "" && !c.modern):
			return all, refused, nil
		case seen[*page.Cursor]:
			return nil, nil, &Failure{Kind: Malformed, Untouched: true, Message: fmt.Sprintf("the server's list of tools goes in circles: the cursor %q came twice", *page.Cursor)}
		}
		seen[*page.Cursor] = true
		request.Params.Cursor = mcp.Cursor(*page.Cursor)
	}
	return nil, nil, &Failure{Kind: Malformed, Untouched: true, Message: fmt.Sprintf("the server's list of tools has more than %d pages", maxPages)}
}

// noteRefused finds the tools that the library could read and left out: their
// headers break the rules of the modern protocol.
func (c *conn) noteRefused(result json.RawMessage, known *mcp.ListToolsResult, refused map[string]bool) {
	if !c.modern || c.process != nil {
		return
	}
	kept := map[string]bool{}
	for _, t := range known.Tools {
		kept[t.Name] = true
	}
	var page mcp.ListToolsResult
	if json.Unmarshal(readableTools(result), &page) == nil {
		for _, t := range page.Tools {
			refused[t.Name] = !kept[t.Name]
		}
	}
}

// request is one call of a tool.
type request struct {
	tool      string
	arguments json.RawMessage
	key       string
	progress  func(string)
}

// MetaKey carries the idempotency key of a call in its _meta.
const MetaKey = "errand/call-key"

// call runs a tool and returns the result as the server wrote it.
func (c *conn) call(ctx context.Context, r request) (json.RawMessage, error) {
	token := c.follow(r.progress)
	defer c.unfollow(token)
	x := &exchange{key: r.key}
	var params mcp.CallToolRequest
	params.Params.Name = r.tool
	params.Params.Arguments = r.arguments
	params.Params.Meta = &mcp.Meta{ProgressToken: token, AdditionalFields: map[string]any{}}
	if r.key != "" {
		params.Params.Meta.AdditionalFields[MetaKey] = r.key
	}
	if _, err := c.client.CallTool(withExchange(ctx, x), params); err != nil {
		return nil, c.failure(ctx, x, err)
	}
	return x.result, nil
}

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

// close ends the connection and, where there is one, the server's process.
func (c *conn) close() {
	c.closeOnce.Do(func() {
		c.tap.lose(&Failure{Kind: Lost, Message: "the connection was closed"})
		if c.client != nil {
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_ = c.client.Close() // how the server ends is not our failure
			}()
			timer := time.NewTimer(2 * cancelLimit)
			select {
			case <-ended:
			case <-timer.C:
			}
			timer.Stop()
		}
		if c.process != nil {
			c.process.stop()
		}
		if c.idle != nil {
			c.idle()
		}
	})
}
