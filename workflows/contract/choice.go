package contract

import (
	"encoding/json"
	"fmt"
	"slices"

	"errand/tools"
)

// Choice is a tool_choice in any of its forms, or a member of allowed_tools.
type Choice struct {
	Word      string `json:"-"` // auto, none, required; empty for an object
	Type      string `json:"type"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Server    string `json:"server_label"`
	// Mode and Tools belong to allowed_tools.
	Mode  string            `json:"mode"`
	Tools []json.RawMessage `json:"tools"`
}

// ParseChoice reads a tool_choice, or a member of allowed_tools.
func ParseChoice(raw json.RawMessage) (Choice, error) {
	var c Choice
	if json.Unmarshal(raw, &c.Word) == nil {
		return c, nil
	}
	return c, json.Unmarshal(raw, &c)
}

// Forced tells whether the model has no way but to call a tool.
func (c Choice) Forced() bool {
	switch {
	case c.Word != "":
		return c.Word == "required"
	case c.Type == "allowed_tools":
		return c.Mode == "required"
	}
	return true
}

// checkChoice refuses a tool_choice that names no declared tool, or that
// forces a call when there is nothing to call.
func checkChoice(raw json.RawMessage, declared []tools.Declaration, faults *tools.Faults) {
	c, err := ParseChoice(raw)
	if err != nil {
		faults.Add("tool_choice", `must be "auto", "none", "required" or an object with a type`)
		return
	}
	switch {
	case c.Word == "auto" || c.Word == "none":
	case c.Word == "required":
		if !slices.ContainsFunc(declared, callable) {
			faults.Add("tool_choice", `"required" needs at least one tool`)
		}
	case c.Word != "":
		faults.Add("tool_choice", fmt.Sprintf(`%q is not a choice: "auto", "none", "required" or an object`, c.Word))
	case c.Type == "allowed_tools":
		checkAllowed(c, declared, faults)
	default:
		c.check("tool_choice", declared, faults)
	}
}

func checkAllowed(c Choice, declared []tools.Declaration, faults *tools.Faults) {
	if c.Mode != "auto" && c.Mode != "required" {
		faults.Add("tool_choice.mode", `must be "auto" or "required"`)
	}
	if len(c.Tools) == 0 {
		faults.Add("tool_choice.tools", "must name at least one tool")
	}
	for i, raw := range c.Tools {
		path := fmt.Sprintf("tool_choice.tools[%d]", i)
		member, err := ParseChoice(raw)
		if err != nil || member.Word != "" {
			faults.Add(path, "must be an object with a type")
			continue
		}
		member.check(path, declared, faults)
	}
}

// check refuses a choice of one tool, or of one server, that is not declared.
func (c Choice) check(path string, declared []tools.Declaration, faults *tools.Faults) {
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
func (c Choice) names(d tools.Declaration) bool {
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
