package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// FunctionDeclaration is what the declaration of one function says: function,
// custom or platform.
type FunctionDeclaration struct {
	Description  string          `json:"description,omitempty"`
	Parameters   json.RawMessage `json:"parameters,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Strict       *bool           `json:"strict,omitempty"`
	// Format is that of a custom tool.
	Format *Format `json:"format,omitempty"`
	// Writes and Checkpointable are capabilities a caller may declare for its
	// own tools. A tool that does not say counts as writing.
	Writes         *bool `json:"writes,omitempty"`
	Checkpointable bool  `json:"checkpointable,omitempty"`
	// ClientTimeout bounds the wait for one call of a client's tool in place of
	// the run's own bound: nil keeps that, 0 is none.
	ClientTimeout *time.Duration `json:"client_timeout,omitempty"`
}

// Format is what the text of a custom tool must look like.
type Format struct {
	// Type is text or grammar; Syntax (lark or regex) and Definition belong to
	// a grammar.
	Type       string `json:"type"`
	Syntax     string `json:"syntax,omitempty"`
	Definition string `json:"definition,omitempty"`
}

// parseFunction reads a function, custom or platform tool.
func (d *Declaration) parseFunction(fields map[string]json.RawMessage, faults *Faults) {
	Field(fields, d.Path, "name", &d.Name, "a string", faults)
	if strings.TrimSpace(d.Name) == "" && !faults.At(d.Path+".name") {
		faults.Add(d.Path+".name", "required: a non-empty string")
	}
	Field(fields, d.Path, "description", &d.Description, "a string", faults)
	Field(fields, d.Path, "strict", &d.Strict, "true or false", faults)
	Field(fields, d.Path, "writes", &d.Writes, "true or false", faults)
	Field(fields, d.Path, "checkpointable", &d.Checkpointable, "true or false", faults)
	d.OutputSchema = schemaField(fields, d.Path, "output_schema", faults)
	d.ClientTimeout = clientTimeout(d.Path, d.Type, fields, faults)
	if d.Type == TypeCustom {
		d.Format = parseFormat(d.Path+".format", fields["format"], faults)
		return
	}
	d.Parameters = schemaField(fields, d.Path, "parameters", faults)
}

func parseFormat(path string, raw json.RawMessage, faults *Faults) *Format {
	if raw == nil || string(raw) == "null" {
		return nil
	}
	fields, ok := Object(raw)
	if !ok {
		faults.Add(path, `must be an object such as {"type":"text"}`)
		return nil
	}
	var f Format
	Field(fields, path, "type", &f.Type, `"text" or "grammar"`, faults)
	Field(fields, path, "syntax", &f.Syntax, `"lark" or "regex"`, faults)
	Field(fields, path, "definition", &f.Definition, "a string", faults)
	switch {
	case f.Type == "text":
	case f.Type != "grammar":
		faults.Add(path+".type", `must be "text" or "grammar"`)
	case f.Syntax != "lark" && f.Syntax != "regex":
		faults.Add(path+".syntax", `must be "lark" or "regex"`)
	case f.Definition == "":
		faults.Add(path+".definition", "required: the grammar")
	}
	return &f
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

// clientTimeout reads the bound of a client's tool. The worker's tools have
// none: their time-outs are registered with them.
func clientTimeout(path, kind string, fields map[string]json.RawMessage, faults *Faults) *time.Duration {
	raw, given := fields["client_timeout"]
	if !given || string(raw) == "null" {
		return nil
	}
	if kind != TypeFunction && kind != TypeCustom {
		faults.Add(path+".client_timeout", "only function and custom tools wait for a client: leave it out")
		return nil
	}
	var limit time.Duration
	DurationField(fields, path, "client_timeout", &limit, faults)
	return &limit
}

// namespaceMembers are the members of all namespaces of a request so far, as
// they were written.
type namespaceMembers map[Identity]string

// parseNamespace reads a namespace into one declaration a member. The same
// namespace twice merges; a member that is written twice alike counts once.
func parseNamespace(path string, fields map[string]json.RawMessage, seen *namespaceMembers, faults *Faults) []Declaration {
	var name, description string
	Field(fields, path, "name", &name, "a string", faults)
	Field(fields, path, "description", &description, "a string", faults)
	if strings.TrimSpace(name) == "" && !faults.At(path+".name") {
		faults.Add(path+".name", "required: a non-empty string")
	}
	var list []json.RawMessage
	if json.Unmarshal(fields["tools"], &list) != nil || len(list) == 0 {
		faults.Add(path+".tools", "required: an array of function and custom tools")
		return nil
	}
	var all []Declaration
	for i, one := range list {
		if d, ok := parseMember(fmt.Sprintf("%s.tools[%d]", path, i), one, faults); ok {
			d.Namespace = name
			d.Description = joinDescriptions(description, d.Description)
			if !seen.repeated(d.Identity(), one) {
				all = append(all, d)
			}
		}
	}
	return all
}

func parseMember(path string, raw json.RawMessage, faults *Faults) (Declaration, bool) {
	fields, ok := Object(raw)
	if !ok {
		faults.Add(path, "must be an object with a type")
		return Declaration{}, false
	}
	kind := TypeFunction // members may leave it out
	Field(fields, path, "type", &kind, "a string", faults)
	if kind != TypeFunction && kind != TypeCustom {
		faults.Add(path+".type", fmt.Sprintf("%q cannot be in a namespace: function or custom", kind))
		return Declaration{}, false
	}
	return parseDeclaration(path, kind, fields, faults)
}

// repeated tells whether the very same member was declared before.
func (m *namespaceMembers) repeated(id Identity, raw json.RawMessage) bool {
	var compact any
	text := string(raw)
	if json.Unmarshal(raw, &compact) == nil {
		if canonical, err := json.Marshal(compact); err == nil {
			text = string(canonical)
		}
	}
	if earlier, ok := (*m)[id]; ok && earlier == text {
		return true
	}
	if *m == nil {
		*m = namespaceMembers{}
	}
	(*m)[id] = text
	return false
}

func joinDescriptions(group, member string) string {
	switch {
	case group == "":
		return member
	case member == "":
		return group
	}
	return group + "\n" + member
}
