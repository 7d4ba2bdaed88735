package mcp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// exchange is what is known of one request beside what the library returns. It
// travels in the request's context, through the library, to the transport.
type exchange struct {
	// key is the call's idempotency key, as a header over HTTP.
	key string

	mu sync.Mutex
	// touched is true from when bytes of the request may have left.
	touched bool
	// result is the server's own, byte for byte, of a list or a call.
	result json.RawMessage
	rpc    *mcp.JSONRPCErrorDetails
	status int
	retry  time.Duration
	over   bool // the answer was too large
}

type exchangeKey struct{}

func withExchange(ctx context.Context, x *exchange) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// exchangeOf is never nil: what nobody asked for is not looked at.
func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{}
}

func (x *exchange) isTouched() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.touched
}

func (x *exchange) note(change func(*exchange)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change(x)
}
