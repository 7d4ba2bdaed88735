// Package mcp reaches the servers of the Model Context Protocol that requests
// declare and workers configure: over a process's pipes, Streamable HTTP or
// SSE. mark3labs/mcp-go speaks the protocol; around it stand a layer that
// bounds, identifies and cancels what travels (tap, wire, process), a pool of
// connections, and the reading of tools and results from the servers' own
// bytes, since the library's types lose parts of both.
package mcp
