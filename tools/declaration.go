package tools

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Declaration types.
const (
	// TypeFunction is a client-owned function tool.
	TypeFunction = "function"
	// TypeCustom is a client-owned tool that takes free text.
	TypeCustom = "custom"
	// TypeNamespace groups function and custom tools under a name.
	TypeNamespace = "namespace"
	// TypePlatform is a Go function registered on the worker.
	TypePlatform = "platform"
	// TypeMCP is a server whose tools the worker calls.
	TypeMCP = "mcp"
	// TypeWebSearch is a search that the worker makes.
	TypeWebSearch = "web_search"
	// TypeFileSearch and TypeCodeInterpreter are hosted tools of OpenAI. They
	// are taken, and no worker of this version executes them.
	TypeFileSearch      = "file_search"
	TypeCodeInterpreter = "code_interpreter"
)

// webSearchAliases are the names that web_search goes by.
var webSearchAliases = []string{
	TypeWebSearch, "web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11",
}

// KindOf is the declaration type that a written type stands for: dated aliases
// become the plain name, anything else stays.
func KindOf(written string) string {
	if slices.Contains(webSearchAliases, written) {
		return TypeWebSearch
	}
	return written
}

// Sources of gateway-owned tools.
const (
	SourcePlatform  = "platform"
	SourceWebSearch = "web_search"
	// SourceDelegate has the platform tool that starts another run.
	SourceDelegate = "delegate"
	// SourceMCP is any server that a request brings. One that the worker's
	// configuration names is SourceMCP/name.
	SourceMCP = "mcp"
)

// Declaration is a tool as the caller described it in tools[]. A namespace
// becomes one declaration for each of its members.
type Declaration struct {
	// Path is where it stands in the request, for example tools[2].
	Path string `json:"path"`
	// Type is one of the declaration types, or what the caller wrote.
	Type string `json:"type"`
	// Namespace is the group that a function or custom tool belongs to.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`

	// FunctionDeclaration is empty but for function, custom and platform tools,
	// GatewayDeclaration but for gateway-owned ones.
	FunctionDeclaration
	GatewayDeclaration
}

// GatewayDeclaration is what the declaration of gateway-owned tools says.
type GatewayDeclaration struct {
	// Server is that of an mcp declaration.
	Server *ServerDeclaration `json:"server,omitempty"`
	// MaxUses bounds the calls in a run; 0 is no bound.
	MaxUses int `json:"max_uses,omitempty"`
	// Options are what the source is told of the declaration, with every call:
	// small, and without credentials. For web_search they are a WebSearch.
	Options json.RawMessage `json:"options,omitempty"`
}

// Known tells whether this build knows what to do with the declaration. An
// unknown one is kept and never executed.
func (d Declaration) Known() bool {
	switch d.Type {
	case TypeFunction, TypeCustom, TypePlatform, TypeMCP, TypeWebSearch, TypeFileSearch, TypeCodeInterpreter:
		return true
	}
	return false
}

// Identity is what the caller knows the tool by.
func (d Declaration) Identity() Identity { return Identity{d.Namespace, d.Name} }

// ParseDeclarations reads tools[]. Every fault is recorded under its path.
func ParseDeclarations(raw json.RawMessage, faults *Faults) []Declaration {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		faults.Add("tools", "must be an array of tool objects")
		return nil
	}
	var all []Declaration
	var seen namespaceMembers
	labels := map[string]string{} // server label → where it stands
	for i, one := range list {
		path := fmt.Sprintf("tools[%d]", i)
		fields, ok := Object(one)
		if !ok {
			faults.Add(path, "must be an object with a type")
			continue
		}
		var kind string
		Field(fields, path, "type", &kind, "a string", faults)
		switch {
		case kind == "" && !faults.At(path+".type"):
			faults.Add(path+".type", `required, for example "function"`)
		case kind == TypeNamespace:
			all = append(all, parseNamespace(path, fields, &seen, faults)...)
		case kind != "":
			d, ok := parseDeclaration(path, KindOf(kind), fields, faults)
			if ok && d.Server != nil {
				if earlier, taken := labels[d.Server.Label]; taken {
					faults.Add(path+".server_label", fmt.Sprintf("%q is the label of %s already: choose another", d.Server.Label, earlier))
				}
				labels[d.Server.Label] = path
			}
			if ok {
				all = append(all, d)
			}
		}
	}
	return all
}

func parseDeclaration(path, kind string, fields map[string]json.RawMessage, faults *Faults) (Declaration, bool) {
	before := len(*faults)
	d := Declaration{Path: path, Type: kind}
	switch kind {
	case TypeFunction, TypeCustom, TypePlatform:
		d.parseFunction(fields, faults)
	case TypeMCP:
		d.parseServer(fields, faults)
	case TypeWebSearch:
		d.Name = TypeWebSearch
		d.parseWebSearch(fields, faults)
	case TypeFileSearch:
		d.Name = TypeFileSearch
		checkFileSearch(path, fields, faults)
	case TypeCodeInterpreter:
		d.Name = TypeCodeInterpreter
		checkCodeInterpreter(path, fields, faults)
	default:
		return d, true
	}
	d.MaxUses = maxUses(path, kind, fields, faults)
	return d, len(*faults) == before
}

// maxUses reads the bound of a gateway-owned tool. A client counts its own.
func maxUses(path, kind string, fields map[string]json.RawMessage, faults *Faults) int {
	if kind == TypeFunction || kind == TypeCustom {
		return 0
	}
	var n *int
	Field(fields, path, "max_uses", &n, "a whole number of at least 1", faults)
	if n == nil {
		return 0
	}
	if *n < 1 {
		faults.Add(path+".max_uses", "must be a whole number of at least 1")
	}
	return *n
}

func checkFileSearch(path string, fields map[string]json.RawMessage, faults *Faults) {
	var stores []string
	Field(fields, path, "vector_store_ids", &stores, "an array of ids", faults)
	if len(stores) == 0 && !faults.At(path+".vector_store_ids") {
		faults.Add(path+".vector_store_ids", "required: an array of ids")
	}
}

func checkCodeInterpreter(path string, fields map[string]json.RawMessage, faults *Faults) {
	raw, given := fields["container"]
	var id string
	if _, ok := Object(raw); !given || (!ok && json.Unmarshal(raw, &id) != nil) {
		faults.Add(path+".container", fmt.Sprintf("required: an id, or %s", `{"type":"auto"}`))
	}
}
