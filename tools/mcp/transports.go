package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

type stdioTransport struct {
	*transport.Stdio
	interceptor *interceptor
}

func (s *stdioTransport) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return s.interceptor.send(ctx, s.Stdio, r)
}

func (s *stdioTransport) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	return s.interceptor.notify(ctx, s.Stdio, n)
}

func (s *stdioTransport) SetRequestHandler(transport.RequestHandler) {
	s.Stdio.SetRequestHandler(decline)
}

type httpTransport struct {
	*transport.StreamableHTTP
	interceptor *interceptor
}

func (h *httpTransport) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return h.interceptor.send(ctx, h.StreamableHTTP, r)
}

func (h *httpTransport) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	return h.interceptor.notify(ctx, h.StreamableHTTP, n)
}

func (h *httpTransport) SetRequestHandler(transport.RequestHandler) {
	h.StreamableHTTP.SetRequestHandler(decline)
}

type sseTransport struct {
	*transport.SSE
	interceptor *interceptor
}

func (s *sseTransport) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return s.interceptor.send(ctx, s.SSE, r)
}

func (s *sseTransport) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	return s.interceptor.notify(ctx, s.SSE, n)
}

// decline answers what a server asks of its client. Nothing was offered: a
// person is asked by the run itself, and the run has its own model.
func decline(_ context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	switch mcp.MCPMethod(request.Method) { //nolint:exhaustive // everything else is refused alike
	case mcp.MethodPing:
		return transport.NewJSONRPCResultResponse(request.ID, json.RawMessage(`{}`)), nil
	case mcp.MethodElicitationCreate:
		return transport.NewJSONRPCResultResponse(request.ID, json.RawMessage(`{"action":"decline"}`)), nil
	}
	return transport.NewJSONRPCErrorResponse(request.ID, mcp.METHOD_NOT_FOUND,
		fmt.Sprintf("%s is not offered by this client", request.Method), nil), nil
}

// forLibrary is what the library gets to read of a result. Its own types refuse
// a whole list for one odd tool, and a whole result for one odd block, after
// the tool has run; the bytes are kept beside it.
func forLibrary(method string, result json.RawMessage) json.RawMessage {
	switch mcp.MCPMethod(method) { //nolint:exhaustive // the others are read by the library alone
	case mcp.MethodToolsCall:
		return json.RawMessage(`{"content":[]}`)
	case mcp.MethodToolsList:
		return readableTools(result)
	}
	return result
}

// readableTools leaves the tools that the library can read.
func readableTools(result json.RawMessage) json.RawMessage {
	var page struct {
		Tools []json.RawMessage `json:"tools"`
	}
	kept := []json.RawMessage{}
	if json.Unmarshal(result, &page) == nil {
		for _, raw := range page.Tools {
			var tool mcp.Tool
			if json.Unmarshal(raw, &tool) == nil {
				kept = append(kept, raw)
			}
		}
	}
	out, err := json.Marshal(map[string]any{"tools": kept})
	if err != nil { // raw JSON that was decoded before
		return json.RawMessage(`{"tools":[]}`)
	}
	return out
}

// refusesItsOwn tells whether a server refuses the version that it was asked
// at, and names that version among those it speaks.
func refusesItsOwn(method string, refusal *mcp.JSONRPCErrorDetails) bool {
	if mcp.MCPMethod(method) != mcp.MethodServerDiscover || refusal == nil || refusal.Code != mcp.UNSUPPORTED_PROTOCOL_VERSION {
		return false
	}
	raw, err := json.Marshal(refusal.Data)
	if err != nil {
		return false
	}
	var says struct {
		Supported []string `json:"supported"`
		Requested string   `json:"requested"`
	}
	if json.Unmarshal(raw, &says) != nil {
		return false
	}
	return slices.Contains(says.Supported, cmp.Or(says.Requested, mcp.LATEST_PROTOCOL_VERSION))
}
