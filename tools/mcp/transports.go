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

type stdioTap struct {
	*transport.Stdio
	tap *tap
}

func (s *stdioTap) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return s.tap.send(ctx, s.Stdio, r)
}

func (s *stdioTap) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	return s.tap.notify(ctx, s.Stdio, n)
}

func (s *stdioTap) SetRequestHandler(transport.RequestHandler) { s.Stdio.SetRequestHandler(decline) }

type httpTap struct {
	*transport.StreamableHTTP
	tap *tap
}

func (h *httpTap) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return h.tap.send(ctx, h.StreamableHTTP, r)
}

func (h *httpTap) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	return h.tap.notify(ctx, h.StreamableHTTP, n)
}

func (h *httpTap) SetRequestHandler(transport.RequestHandler) {
	h.StreamableHTTP.SetRequestHandler(decline)
}

type sseTap struct {
	*transport.SSE
	tap *tap
}

func (s *sseTap) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return s.tap.send(ctx, s.SSE, r)
}

func (s *sseTap) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	return s.tap.notify(ctx, s.SSE, n)
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

// harmless is what the library gets to read of a result. Its own types refuse
// a whole list for one odd tool, and a whole result for one odd block, after
// the tool has run; the bytes are kept beside it.
func harmless(method string, result json.RawMessage) json.RawMessage {
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
