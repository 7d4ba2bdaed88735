package mcp

import (
	"context"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// The transports behind a tap. Each shows the library exactly what the
// transport itself does.

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
