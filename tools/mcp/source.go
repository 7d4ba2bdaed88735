package mcp

import (
	"context"
	"strings"

	"errand/tools"
	"errand/tools/mcp/mcpconfig"
)

// Source is the servers as one source of a run's tools: those that requests
// bring, or one of the configured ones.
type Source struct {
	servers *Servers
	// name is that of a configured server; empty for those of requests.
	name string
}

// Tools is what every source offers a run. One that has to be opened for each
// run has Open too.
type Tools interface {
	Describe(name string) (tools.Descriptor, bool)
	Prepare(name string, arguments []byte) ([]byte, error)
	Execute(ctx context.Context, name string, call tools.Invocation) (tools.Output, error)
}

// Sources are the sources by name, as descriptors have them.
func (s *Servers) Sources() map[string]Tools {
	all := map[string]Tools{tools.SourceMCP: &Source{servers: s}}
	for _, one := range s.options.Servers {
		source := Source{servers: s, name: one.Name}
		if one.WithDefaults().Scope == mcpconfig.ScopeRun {
			all[tools.SourceMCP+"/"+one.Name] = &OwnSource{source}
		} else {
			all[tools.SourceMCP+"/"+one.Name] = &source
		}
	}
	return all
}

// OwnSource is a server that is opened for each run.
type OwnSource struct{ Source }

// Describe knows no tool: which ones a server has is found by List.
func (s *Source) Describe(string) (tools.Descriptor, bool) { return tools.Descriptor{}, false }

// Prepare returns arguments as they are.
func (s *Source) Prepare(_ string, arguments []byte) ([]byte, error) { return arguments, nil }

// Execute runs a tool of a shared server.
func (s *Source) Execute(ctx context.Context, _ string, call tools.Invocation) (tools.Output, error) {
	return s.servers.Execute(ctx, call)
}

// Label is the server's label in the name of a source, for people.
func Label(source string) string { return strings.TrimPrefix(source, tools.SourceMCP+"/") }
