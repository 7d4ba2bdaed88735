package worker

import (
	"context"
	"fmt"
	"time"

	"errand/tools"
	"errand/tools/mcp"
)

// listLimit bounds the look at one MCP server.
const listLimit = 30 * time.Second

// checkup asks one configured server for its tools, over a connection of its
// own that is closed again.
func (m MCP) checkup(ctx context.Context, label string) Finding {
	f := Finding{Check: "mcp", Subject: label}
	servers := mcp.New(mcp.Options{Servers: m.Servers, Hosts: m.Hosts, Secrets: m.Secrets})
	defer servers.Close()
	limited, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	listing, err := servers.List(limited, tools.ServerDeclaration{Label: label}, "mcp.servers."+label)
	switch {
	case err != nil:
		f.State, f.Message = StateFault, fmt.Sprintf("it did not list its tools within %s", listLimit)
	case listing.Failure != "":
		f.State, f.Message = StateFault, listing.Failure
	case len(listing.Faults) > 0:
		f.State, f.Message = StateFault, listing.Faults.Error()
	case len(listing.Warnings) > 0:
		f.State, f.Message = StateWarning, fmt.Sprintf("it lists %d tools: %s", len(listing.Tools), listing.Warnings[0])
	default:
		f.State, f.Message = StateOK, fmt.Sprintf("it lists %d tools, MCP %s", len(listing.Tools), listing.Protocol)
	}
	if f.State == StateFault {
		f.Fix = "check its entry under mcpServers (ERRAND_MCP_CONFIG): command, url, credentials; run its command by hand"
	}
	return f
}
