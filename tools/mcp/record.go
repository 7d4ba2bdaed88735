package mcp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// requestRecord is what is known of one request beside what the library returns. It
// travels in the request's context, through the library, to the transport.
type requestRecord struct {
	// key is the call's idempotency key, as a header over HTTP.
	key string

	mu sync.Mutex
	// sent is true from when bytes of the request may have left.
	sent bool
	// result is the server's own, byte for byte, of a list or a call.
	result     json.RawMessage
	rpcError   *mcp.JSONRPCErrorDetails
	status     int
	retryAfter time.Duration
	tooLarge   bool // the answer was over the limit
}

type recordKey struct{}

func withRecord(ctx context.Context, record *requestRecord) context.Context {
	return context.WithValue(ctx, recordKey{}, record)
}

// recordOf is never nil: what nobody asked for is not looked at.
func recordOf(ctx context.Context) *requestRecord {
	if record, ok := ctx.Value(recordKey{}).(*requestRecord); ok {
		return record
	}
	return &requestRecord{}
}

func (r *requestRecord) isSent() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent
}

func (r *requestRecord) note(change func(*requestRecord)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
}
