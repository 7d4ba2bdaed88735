// Client is what the conformance runner of the Model Context Protocol starts
// for each scenario: it lists the tools of the server whose address is its
// argument, and calls each, by the package with which a worker does.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"errand/tools"
	"errand/tools/mcp"
	"errand/tools/mcp/mcpconfig"
)

// label is what the server is called here.
const label = "scenario"

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: client <server-url>")
	}
	if err := run(os.Args[len(os.Args)-1]); err != nil {
		log.Fatal(err)
	}
}

func run(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	servers := mcp.New(mcp.Options{Servers: []mcpconfig.Server{{
		Name: label, URL: address, Transport: mcpconfig.TransportHTTP, Protocol: protocol(os.Getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")),
	}}})
	defer servers.Close()
	declaration := tools.ServerDeclaration{Label: label}
	listing, err := servers.List(ctx, declaration, "tools[0]")
	switch {
	case err != nil:
		return err
	case len(listing.Faults) > 0:
		return listing.Faults
	case listing.Failure != "":
		return errors.New(listing.Failure)
	}
	fmt.Printf("%d tools over %s; warnings: %q\n", len(listing.Tools), listing.Protocol, listing.Warnings)
	calls, err := wanted(listing, os.Getenv("MCP_CONFORMANCE_CONTEXT"))
	if err != nil {
		return err
	}
	var failed []error
	for i, c := range calls {
		out, err := servers.Execute(ctx, tools.Invocation{
			Server: &declaration, Remote: &tools.Remote{Server: label, Tool: c.Name}, Arguments: c.Arguments,
			Key: fmt.Sprintf("conformance/1/%d", i), Effect: tools.EffectOnce, Progress: func(string) {},
		})
		fmt.Printf("%s %s: %v, error %v\n", c.Name, c.Arguments, out.Content, err)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", c.Name, err))
		}
	}
	return errors.Join(failed...)
}

// protocol is the era of a version: scenarios are judged by the wire of theirs.
func protocol(version string) string {
	switch {
	case version == "":
		return mcpconfig.ProtocolAuto
	case version < "2026":
		return mcpconfig.ProtocolLegacy
	default:
		return mcpconfig.ProtocolModern
	}
}

// call is one that a scenario wants.
type call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// wanted are the calls that the scenario names, or one of each tool.
func wanted(listing tools.Listing, scenario string) ([]call, error) {
	var named struct {
		Calls []call `json:"toolCalls"`
	}
	if scenario != "" {
		if err := json.Unmarshal([]byte(scenario), &named); err != nil {
			return nil, fmt.Errorf("the scenario's context: %w", err)
		}
	}
	if named.Calls != nil {
		return named.Calls, nil
	}
	if os.Getenv("MCP_CONFORMANCE_SCENARIO") == "json-schema-ref-no-deref" {
		return nil, nil // its server has a list and takes no calls
	}
	var calls []call
	for _, one := range listing.Tools {
		arguments, err := example(one.Descriptor.Parameters, listing.Tools[0].Descriptor.Parameters)
		if err != nil {
			return nil, fmt.Errorf("arguments for %s: %w", one.Descriptor.ModelName, err)
		}
		calls = append(calls, call{Name: one.Descriptor.Remote.Tool, Arguments: arguments})
	}
	return calls, nil
}
