package tools

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Identity is what the caller knows a tool by: two fields, never one flat
// name. The namespace is empty for most.
type Identity struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String is the identity for people and for maps: namespace.name, or the name.
func (i Identity) String() string {
	if i.Namespace == "" {
		return i.Name
	}
	return i.Namespace + "." + i.Name
}

// members are the members of all namespaces of a request so far, as they were
// written.
type members map[Identity]string

// parseNamespace reads a namespace into one declaration a member. The same
// namespace twice merges; a member that is written twice alike counts once.
func parseNamespace(path string, fields map[string]json.RawMessage, seen *members, faults *Faults) []Declaration {
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
func (m *members) repeated(id Identity, raw json.RawMessage) bool {
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
		*m = members{}
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
