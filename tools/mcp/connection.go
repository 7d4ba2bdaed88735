package mcp

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"errand/tools"
)

// connection is one connection to a server.
type connection struct {
	target      target
	client      *client.Client
	interceptor *interceptor
	process     *serverProcess // nil over HTTP
	idle        func()         // closes idle HTTP connections

	// version is the protocol's, of this connection.
	version  string
	modern   bool
	isModern atomic.Bool

	mu       sync.Mutex
	tokens   int64
	progress map[string]func(string)

	closeOnce sync.Once
}

func (c *connection) handshake(ctx context.Context) error {
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
func (c *connection) call(ctx context.Context, r request) (json.RawMessage, error) {
	token := c.subscribeProgress(r.progress)
	defer c.unsubscribeProgress(token)
	record := &requestRecord{key: r.key}
	var params mcp.CallToolRequest
	params.Params.Name = r.tool
	params.Params.Arguments = r.arguments
	params.Params.Meta = &mcp.Meta{ProgressToken: token, AdditionalFields: map[string]any{}}
	if r.key != "" {
		params.Params.Meta.AdditionalFields[MetaKey] = r.key
	}
	if _, err := c.client.CallTool(withRecord(ctx, record), params); err != nil {
		return nil, c.failure(ctx, record, err)
	}
	return record.result, nil
}

// subscribeProgress registers who hears of a call's progress.
func (c *connection) subscribeProgress(report func(string)) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens++
	token := c.interceptor.prefix + strconv.FormatInt(c.tokens, 10)
	if report != nil {
		c.progress[token] = report
	}
	return token
}

func (c *connection) unsubscribeProgress(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.progress, token)
}

// reportProgress passes a server's progress on. It runs on the connection's read
// loop, so it must not wait.
func (c *connection) reportProgress(n mcp.JSONRPCNotification) {
	token, _ := n.Params.AdditionalFields["progressToken"].(string)
	c.mu.Lock()
	report := c.progress[token]
	c.mu.Unlock()
	if report == nil {
		return
	}
	text, _ := n.Params.AdditionalFields["message"].(string)
	if done, ok := n.Params.AdditionalFields["progress"].(float64); ok {
		counted := strconv.FormatFloat(done, 'f', -1, 64)
		if total, ok := n.Params.AdditionalFields["total"].(float64); ok {
			counted += "/" + strconv.FormatFloat(total, 'f', -1, 64)
		}
		if text == "" {
			text = counted
		} else {
			text = counted + " " + text
		}
	}
	report(text)
}

// close ends the connection and, where there is one, the server's process.
func (c *connection) close() {
	c.closeOnce.Do(func() {
		c.interceptor.markLost(&Failure{Kind: Lost, Message: "the connection was closed"})
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
