package starter

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"errand/workflows/contract"
)

// Require names arguments that every call of a tool must have. A call that
// lacks one is answered with the error InvalidArguments, which names them, and
// its handler is not called (PD-33). An argument is missing if it is absent,
// null or an empty text: the last two may be valid for the tool's schema, which
// the worker has checked. The tool is named as in Handlers.
func Require(tool string, arguments ...string) ServeOption {
	return func(o *serveOptions) { o.require(tool, arguments) }
}

// RequireDeclared is Require for every argument that the declarations list as
// required.
func RequireDeclared(declarations ...Tool) ServeOption {
	return func(o *serveOptions) {
		for _, t := range declarations {
			text, err := json.Marshal(t)
			if err != nil {
				continue // Start says what is wrong with it
			}
			var d declaration
			if json.Unmarshal(text, &d) == nil {
				d.require(o, "")
			}
		}
	}
}

// declaration is what matters here of a tool in a request.
type declaration struct {
	Name       string `json:"name"`
	Parameters struct {
		Required []string `json:"required"`
	} `json:"parameters"`
	Tools []declaration `json:"tools"`
}

func (d declaration) require(o *serveOptions, prefix string) {
	o.require(prefix+d.Name, d.Parameters.Required)
	for _, member := range d.Tools {
		member.require(o, prefix+d.Name+".")
	}
}

func (o *serveOptions) require(tool string, arguments []string) {
	if len(arguments) == 0 {
		return
	}
	if o.required == nil {
		o.required = map[string][]string{}
	}
	for _, name := range arguments {
		if !slices.Contains(o.required[tool], name) {
			o.required[tool] = append(o.required[tool], name)
		}
	}
}

// missing lists the required arguments that a call lacks, in the order in which
// they are required.
func (o *serveOptions) missing(m contract.Manifest) []string {
	required := o.required[handlerName(m)]
	if len(required) == 0 || m.Input != nil {
		return nil
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(m.Args, &given) != nil {
		given = nil
	}
	var missing []string
	for _, name := range required {
		if value := string(given[name]); value == "" || value == "null" || value == `""` {
			missing = append(missing, name)
		}
	}
	return missing
}

func lacking(tool string, missing []string) error {
	return fmt.Errorf("the call of '%s' lacks required arguments: %s", tool, strings.Join(missing, ", "))
}
