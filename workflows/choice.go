package workflows

import (
	"encoding/json"
	"fmt"
	"slices"

	"errand/tools"
)

// choice is a tool_choice in any of its forms, or a member of allowed_tools.
type choice struct {
	word      string // auto, none, required; empty for an object
	Type      string `json:"type"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Server    string `json:"server_label"`
	// Mode and Tools belong to allowed_tools.
	Mode  string            `json:"mode"`
	Tools []json.RawMessage `json:"tools"`
}

func parseChoice(raw json.RawMessage) (choice, error) {
	var c choice
	if json.Unmarshal(raw, &c.word) == nil {
		return c, nil
	}
	return c, json.Unmarshal(raw, &c)
}

// forced tells whether the model has no way but to call a tool.
func (c choice) forced() bool {
	switch {
	case c.word != "":
		return c.word == "required"
	case c.Type == "allowed_tools":
		return c.Mode == "required"
	}
	return true
}

// checkChoice refuses a tool_choice that names no declared tool, or that
// forces a call when there is nothing to call.
func checkChoice(raw json.RawMessage, declared []tools.Declaration, faults *tools.Faults) {
	c, err := parseChoice(raw)
	if err != nil {
		faults.Add("tool_choice", `must be "auto", "none", "required" or an object with a type`)
		return
	}
	switch {
	case c.word == "auto" || c.word == "none":
	case c.word == "required":
		if !slices.ContainsFunc(declared, callable) {
			faults.Add("tool_choice", `"required" needs at least one tool`)
		}
	case c.word != "":
		faults.Add("tool_choice", fmt.Sprintf(`%q is not a choice: "auto", "none", "required" or an object`, c.word))
	case c.Type == "allowed_tools":
		checkAllowed(c, declared, faults)
	default:
		c.check("tool_choice", declared, faults)
	}
}

func checkAllowed(c choice, declared []tools.Declaration, faults *tools.Faults) {
	if c.Mode != "auto" && c.Mode != "required" {
		faults.Add("tool_choice.mode", `must be "auto" or "required"`)
	}
	if len(c.Tools) == 0 {
		faults.Add("tool_choice.tools", "must name at least one tool")
	}
	for i, raw := range c.Tools {
		path := fmt.Sprintf("tool_choice.tools[%d]", i)
		member, err := parseChoice(raw)
		if err != nil || member.word != "" {
			faults.Add(path, "must be an object with a type")
			continue
		}
		member.check(path, declared, faults)
	}
}

// check refuses a choice of one tool, or of one server, that is not declared.
func (c choice) check(path string, declared []tools.Declaration, faults *tools.Faults) {
	kind := tools.KindOf(c.Type)
	switch kind {
	case tools.TypeFunction, tools.TypeCustom, tools.TypePlatform:
		if !slices.ContainsFunc(declared, c.names) {
			faults.Add(path+".name", fmt.Sprintf("%q is not declared in tools", c.Name))
		}
	case tools.TypeMCP:
		if !slices.ContainsFunc(declared, func(d tools.Declaration) bool {
			return d.Server != nil && d.Server.Label == c.Server
		}) {
			faults.Add(path+".server_label", fmt.Sprintf("%q is not declared in tools", c.Server))
		}
	case tools.TypeWebSearch:
		if !slices.ContainsFunc(declared, func(d tools.Declaration) bool { return d.Type == kind }) {
			faults.Add(path+".type", fmt.Sprintf("%q is not declared in tools", c.Type))
		}
	case tools.TypeFileSearch, tools.TypeCodeInterpreter:
		faults.Add(path+".type", fmt.Sprintf("%q cannot be chosen: no worker executes it", c.Type))
	default:
		faults.Add(path+".type", fmt.Sprintf("%q is not a type that can be chosen", c.Type))
	}
}

// names tells whether a declaration is the tool that c means: by two fields, or
// by namespace.name in one.
func (c choice) names(d tools.Declaration) bool {
	if c.Name == "" || !callable(d) {
		return false
	}
	id := d.Identity()
	return id == (tools.Identity{Namespace: c.Namespace, Name: c.Name}) || (c.Namespace == "" && id.String() == c.Name)
}

// callable tells whether a declaration can give the model something to call.
func callable(d tools.Declaration) bool {
	return d.Known() && d.Type != tools.TypeFileSearch && d.Type != tools.TypeCodeInterpreter
}

// choiceFor is the choice of a round: a forced one applies to the first round
// only (VL-28), and there is none without tools.
func choiceFor(raw json.RawMessage, round, toolCount int) json.RawMessage {
	if raw == nil || toolCount == 0 {
		return nil
	}
	c, err := parseChoice(raw)
	if err != nil || round == 1 || !c.forced() {
		return raw
	}
	if c.Type == "allowed_tools" {
		return relaxAllowed(raw)
	}
	return json.RawMessage(`"auto"`)
}

func relaxAllowed(raw json.RawMessage) json.RawMessage {
	fields, _ := tools.Object(raw)
	fields["mode"] = json.RawMessage(`"auto"`)
	relaxed, err := json.Marshal(fields)
	if err != nil {
		return json.RawMessage(`"auto"`)
	}
	return relaxed
}
