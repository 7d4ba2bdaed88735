package tools

import (
	"encoding/json"
	"fmt"
	"time"
)

// Declaration types that this build executes.
const (
	// TypeFunction is a client-owned function tool.
	TypeFunction = "function"
	// TypePlatform is a Go function registered on the worker.
	TypePlatform = "platform"
)

// SourcePlatform names the source of platform tools.
const SourcePlatform = "platform"

// Declaration is a tool as the caller described it in tools[].
type Declaration struct {
	// Path is where it stands in the request, for example tools[2].
	Path string `json:"path"`
	Type string `json:"type"`
	Name string `json:"name,omitempty"`

	Description  string          `json:"description,omitempty"`
	Parameters   json.RawMessage `json:"parameters,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Strict       *bool           `json:"strict,omitempty"`
	// Writes and Checkpointable are capabilities a caller may declare for its
	// own tools. A tool that does not say counts as writing.
	Writes         *bool `json:"writes,omitempty"`
	Checkpointable bool  `json:"checkpointable,omitempty"`
}

// Known tells whether this build knows what to do with the declaration. An
// unknown one is kept and never executed.
func (d Declaration) Known() bool { return d.Type == TypeFunction || d.Type == TypePlatform }

// ParseDeclarations reads tools[]. Every fault is recorded under its path.
func ParseDeclarations(raw json.RawMessage, faults *Faults) []Declaration {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		faults.Add("tools", "must be an array of tool objects")
		return nil
	}
	all := make([]Declaration, 0, len(list))
	for i, one := range list {
		path := fmt.Sprintf("tools[%d]", i)
		if d, ok := parseDeclaration(path, one, faults); ok {
			all = append(all, d)
		}
	}
	return all
}

func parseDeclaration(path string, raw json.RawMessage, faults *Faults) (Declaration, bool) {
	fields, ok := Object(raw)
	if !ok {
		faults.Add(path, "must be an object with a type")
		return Declaration{}, false
	}
	before := len(*faults)
	d := Declaration{Path: path}
	Field(fields, path, "type", &d.Type, "a string", faults)
	if d.Type == "" && len(*faults) == before {
		faults.Add(path+".type", `required, for example "function"`)
	}
	if !d.Known() {
		return d, len(*faults) == before
	}
	Field(fields, path, "name", &d.Name, "a string", faults)
	Field(fields, path, "description", &d.Description, "a string", faults)
	Field(fields, path, "strict", &d.Strict, "true or false", faults)
	Field(fields, path, "writes", &d.Writes, "true or false", faults)
	Field(fields, path, "checkpointable", &d.Checkpointable, "true or false", faults)
	d.Parameters = schemaField(fields, path, "parameters", faults)
	d.OutputSchema = schemaField(fields, path, "output_schema", faults)
	if d.Name == "" {
		if _, given := fields["name"]; !given || len(*faults) == before {
			faults.Add(path+".name", "required: a non-empty string")
		}
	}
	return d, len(*faults) == before
}

func schemaField(fields map[string]json.RawMessage, path, name string, faults *Faults) json.RawMessage {
	raw, given := fields[name]
	if !given || string(raw) == "null" {
		return nil
	}
	if _, ok := Object(raw); !ok {
		faults.Add(path+"."+name, "must be a JSON Schema object")
		return nil
	}
	return raw
}

// Object reads raw as a JSON object, member by member.
func Object(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return nil, false
	}
	return fields, true
}

// Field decodes one member into target; absent and null leave target as it is.
// A value of another type is a fault that says what was wanted.
func Field(fields map[string]json.RawMessage, path, name string, target any, want string, faults *Faults) {
	raw, given := fields[name]
	if !given || string(raw) == "null" {
		return
	}
	if json.Unmarshal(raw, target) != nil {
		faults.Add(join(path, name), "must be "+want)
	}
}

// DurationField decodes a Go duration string that is not negative.
func DurationField(fields map[string]json.RawMessage, path, name string, target *time.Duration, faults *Faults) {
	text := ""
	before := len(*faults)
	Field(fields, path, name, &text, `a duration string such as "90s" or "72h"`, faults)
	if text == "" {
		if raw, given := fields[name]; given && string(raw) == `""` {
			faults.Add(join(path, name), `must be a duration string such as "90s" or "72h"`)
		}
		return
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		if len(*faults) == before {
			faults.Add(join(path, name), fmt.Sprintf(`%q is not a duration: write for example "90s" or "72h"`, text))
		}
		return
	}
	*target = d
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
