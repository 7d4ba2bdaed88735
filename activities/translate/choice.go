package translate

import (
	"encoding/json"

	"errand/tools"
	"errand/workflows/contract"
)

// functionChoice names a function to a model.
type functionChoice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// allowedChoice narrows the functions that a model may call.
type allowedChoice struct {
	Type  string           `json:"type"`
	Mode  string           `json:"mode"`
	Tools []functionChoice `json:"tools"`
}

var (
	choiceAuto = json.RawMessage(`"auto"`)
	choiceNone = json.RawMessage(`"none"`)
)

// EncodeChoice says a tool_choice in the model's names: everything it sees is
// a function. A choice that nothing visible is left of becomes auto, or none
// where it was meant to narrow.
func (t *Translator) EncodeChoice(raw json.RawMessage) json.RawMessage {
	c, err := contract.ParseChoice(raw)
	if err != nil || c.Type == "" {
		return raw
	}
	if c.Type == tools.TypeMCP && c.Name == "" {
		if all := t.ofServer(c.Server); len(all) > 0 {
			return choiceText(allowedChoice{Type: "allowed_tools", Mode: "required", Tools: all})
		}
		return choiceAuto
	}
	if c.Type != "allowed_tools" {
		if f, ok := t.function(c); ok {
			return choiceText(f)
		}
		return choiceAuto
	}
	allowed := allowedChoice{Type: c.Type, Mode: c.Mode, Tools: []functionChoice{}}
	for _, member := range c.Tools {
		m, err := contract.ParseChoice(member)
		if err != nil {
			continue
		}
		if m.Type == tools.TypeMCP && m.Name == "" {
			allowed.Tools = append(allowed.Tools, t.ofServer(m.Server)...)
			continue
		}
		if f, ok := t.function(m); ok {
			allowed.Tools = append(allowed.Tools, f)
		}
	}
	if len(allowed.Tools) == 0 {
		return choiceNone
	}
	return choiceText(allowed)
}

// function is the visible function that a choice names.
func (t *Translator) function(c contract.Choice) (functionChoice, bool) {
	name := c.Name
	if c.Type == tools.TypeMCP {
		c.Namespace = c.Server
	}
	if kind := tools.KindOf(c.Type); kind == tools.TypeWebSearch {
		name = kind
	}
	visible := t.visible(tools.Identity{Namespace: c.Namespace, Name: name})
	if n, ok := t.byVisible[name]; ok && c.Namespace == "" && !t.shown[visible] {
		visible = n.Visible // namespace.name in one field
	}
	return functionChoice{tools.TypeFunction, visible}, t.shown[visible]
}

// ofServer are the visible functions of a server, in the order shown.
func (t *Translator) ofServer(label string) []functionChoice {
	var all []functionChoice
	for _, n := range t.Names {
		if n.Type == tools.TypeMCP && n.Namespace == label && t.shown[n.Visible] {
			all = append(all, functionChoice{tools.TypeFunction, n.Visible})
		}
	}
	return all
}

func choiceText(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil { // structs of strings
		return choiceAuto
	}
	return raw
}
