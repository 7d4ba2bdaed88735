package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"errand/cmd/errand/program"
	"errand/cmd/errand/words"
	"errand/starter"
	"errand/tools"
	"errand/workflows/contract"
)

// programs answer client-owned calls: the words of a command line by the name
// of the tool.
type programs map[string][]string

// parsePrograms reads the values of --exec.
func parsePrograms(values []string) (programs, error) {
	all := programs{}
	for _, value := range values {
		name, command, err := words.Named(value)
		if err != nil {
			return nil, badUsage("--exec %w", err)
		}
		if _, twice := all[name]; twice {
			return nil, badUsage("--exec names the tool %q twice: give it one program", name)
		}
		if err := program.Find(command); err != nil {
			return nil, badUsage("--exec %s: %w", name, err)
		}
		all[name] = command
	}
	return all, nil
}

func (p programs) names() []string { return slices.Sorted(maps.Keys(p)) }

// serves tells whether a call is answered by a program.
func (p programs) serves(m contract.Manifest) bool {
	_, served := p[toolName(m)]
	return served
}

func toolName(m contract.Manifest) string {
	if m.Namespace != "" {
		return m.Namespace + "." + m.Tool
	}
	return m.Tool
}

// handlers are the programs in the form in which a run is served. Their answers
// have at most limit bytes.
func (p programs) handlers(limit int) starter.Handlers {
	all := starter.Handlers{}
	for name, command := range p {
		all[name] = func(ctx context.Context, call starter.Call) (any, error) {
			answer, err := program.Run(ctx, command, program.Call{
				RunID: call.RunID, ToolCallID: call.ToolCallID, ActionID: call.ActionID,
				Tool: name, Key: call.Key, Arguments: standardInput(call), Limit: limit,
			})
			if err == nil && answer.IsError {
				err = errors.New(answer.Output)
			}
			return answer.Output, err
		}
	}
	return all
}

// standardInput is what a program reads: the arguments, or the plain input of
// a custom tool.
func standardInput(call starter.Call) []byte {
	if call.Input != nil {
		return []byte(*call.Input)
	}
	return call.Args
}

// declaredIn fails if a request from a file would never call a program.
func (p programs) declaredIn(file string, request map[string]json.RawMessage) error {
	if len(p) == 0 || handsOverUndeclared(request["run"]) {
		return nil
	}
	declared := clientTools(request["tools"], "")
	for _, name := range p.names() {
		if !slices.Contains(declared, name) {
			declaration := fmt.Sprintf(`{"type":"function","name":%s}`, quoted(name))
			return badUsage("--exec %s: %s declares no function of this name: add %s to its tools", name, file, declaration)
		}
	}
	return nil
}

func handsOverUndeclared(run json.RawMessage) bool {
	var options struct {
		Undeclared contract.Undeclared `json:"undeclared_tools"`
	}
	return json.Unmarshal(run, &options) == nil && options.Undeclared == contract.UndeclaredClient
}

// clientTools are the names of the declared tools that clients answer. What
// cannot be read here is found when the request is checked.
func clientTools(raw json.RawMessage, prefix string) []string {
	var declarations []struct {
		Type  string          `json:"type"`
		Name  string          `json:"name"`
		Tools json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(raw, &declarations) != nil {
		return nil
	}
	var names []string
	for _, d := range declarations {
		switch d.Type {
		case tools.TypeFunction, "custom":
			names = append(names, prefix+d.Name)
		case "namespace":
			names = append(names, clientTools(d.Tools, d.Name+".")...)
		}
	}
	return names
}
