package activities

import (
	"context"
	"errors"
	"fmt"

	"errand/tools"
)

// Servers are the MCP servers that a worker can reach.
type Servers interface {
	// List finds the tools of a declared server. What is wrong with the
	// declaration is a fault under path; a server that is down is a failure of the
	// listing. An error is the context's own, or the machine's.
	List(ctx context.Context, server tools.ServerDeclaration, path string) (tools.Listing, error)
}

// ListServerInput is one mcp declaration.
type ListServerInput struct {
	// Path is where the declaration stands in the request.
	Path   string                  `json:"path"`
	Server tools.ServerDeclaration `json:"server"`
}

// MaxTools bounds the tools of servers in a run, after allowed_tools.
const MaxTools = 512

// MaxDescriptors bounds what descriptors of servers' tools bring into the
// history of a run, in bytes.
const MaxDescriptors = maxDescriptors

// maxWarnings bounds what a listing has to say.
const maxWarnings = 50

// ListServer finds the tools of one server, once a run (VL-12).
func (a *Activities) ListServer(ctx context.Context, in ListServerInput) (tools.Listing, error) {
	ctx, done := a.own.until(ctx)
	defer done()
	defer beat(ctx, func() Progress { return Progress{} })()
	if a.servers == nil {
		return tools.Listing{Failure: "this worker has no MCP client"}, nil
	}
	out, err := a.servers.List(ctx, in.Server, in.Path)
	if err != nil {
		if ctx.Err() != nil {
			return tools.Listing{}, stopped(ctx, Progress{})
		}
		return tools.Listing{}, err
	}
	if n := len(out.Tools); n > MaxTools {
		out.Faults.Add(in.Path, fmt.Sprintf("server %q has %d tools, at most %d are taken in a run: name fewer in allowed_tools", in.Server.Label, n, MaxTools))
		out.Tools = nil
	}
	if size := tools.EncodedSize(out.Tools); size > MaxDescriptors {
		out.Faults.Add(in.Path, fmt.Sprintf("the tools of server %q have %d bytes of description together, at most %d are taken in a run: name fewer in allowed_tools",
			in.Server.Label, size, MaxDescriptors))
		out.Tools = nil
	}
	out.Faults = out.Faults.Bounded(maxFaults)
	out.Failure = cut(out.Failure)
	if left := len(out.Warnings) - maxWarnings; left > 0 {
		out.Warnings = append(out.Warnings[:maxWarnings:maxWarnings], fmt.Sprintf("server %q: … and %d more warnings", in.Server.Label, left))
	}
	for i, w := range out.Warnings {
		out.Warnings[i] = cut(w)
	}
	return out, nil
}

// callErrorOf is the outcome that a source's own failure stands for.
func callErrorOf(err error) (tools.Outcome, bool) {
	var e *tools.CallError
	if !errors.As(err, &e) {
		return tools.Outcome{}, false
	}
	o := tools.Fail(e.Status, e.Type, cut(e.Message))
	o.Public = e.Detail
	return o, true
}
