package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"errand/cmd/errand/shell"
	"errand/starter"
	"errand/tools"
	"errand/workflows/contract"
)

// Set is programs that answer client-owned calls: the words of a command line
// by the name of the tool.
type Set map[string][]string

// Parse reads the values of --exec, each of the form name=command line.
func Parse(values []string) (Set, error) {
	all := Set{}
	for _, value := range values {
		name, command, err := named(value)
		if err != nil {
			return nil, fmt.Errorf("--exec %w", err)
		}
		if _, twice := all[name]; twice {
			return nil, fmt.Errorf("--exec names the tool %q twice: give it one program", name)
		}
		if err := Find(command); err != nil {
			return nil, fmt.Errorf("--exec %s: %w", name, err)
		}
		all[name] = command
	}
	return all, nil
}

// named splits name=command line and wants a name and at least one word after
// it.
func named(value string) (name string, command []string, err error) {
	name, line, ok := strings.Cut(value, "=")
	if !ok || name == "" {
		return "", nil, fmt.Errorf("%q: write it as name=program, for example lookup=./lookup.sh", value)
	}
	command, err = shell.Split(line)
	if err != nil {
		return "", nil, fmt.Errorf("%q: %w", value, err)
	}
	if len(command) == 0 || command[0] == "" {
		return "", nil, fmt.Errorf("%q: name a program after the =, for example %s=./lookup.sh", value, name)
	}
	return name, command, nil
}

// Names are the names of the tools, sorted.
func (s Set) Names() []string { return slices.Sorted(maps.Keys(s)) }

// Serves tells whether a call is answered by a program.
func (s Set) Serves(m contract.Manifest) bool {
	_, served := s[toolName(m)]
	return served
}

func toolName(m contract.Manifest) string {
	if m.Namespace != "" {
		return m.Namespace + "." + m.Tool
	}
	return m.Tool
}

// Handlers are the programs in the form in which a run is served. Their answers
// have at most limit bytes.
func (s Set) Handlers(limit int) starter.Handlers {
	all := starter.Handlers{}
	for name, command := range s {
		all[name] = func(ctx context.Context, call starter.Call) (any, error) {
			answer, err := Run(ctx, command, Call{
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

// DeclaredIn fails if a request from a file would never call a program.
func (s Set) DeclaredIn(file string, request map[string]json.RawMessage) error {
	if len(s) == 0 || handsOverUndeclared(request["run"]) {
		return nil
	}
	declared := clientTools(request["tools"], "")
	for _, name := range s.Names() {
		if !slices.Contains(declared, name) {
			declaration, err := json.Marshal(struct {
				Type string `json:"type"`
				Name string `json:"name"`
			}{tools.TypeFunction, name})
			if err != nil {
				return err
			}
			return fmt.Errorf("--exec %s: %s declares no function of this name: add %s to its tools", name, file, declaration)
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
