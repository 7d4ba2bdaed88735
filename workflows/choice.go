package workflows

import (
	"encoding/json"
	"fmt"
	"slices"

	"errand/tools"
)

// choice is a tool_choice in any of its forms.
type choice struct {
	mode  string // auto, none, required; empty for an object
	Type  string `json:"type"`
	Name  string `json:"name"`
	Mode  string `json:"mode"`
	Tools []struct {
		Type string `json:"type"`
		Name string `json:"name"`
	} `json:"tools"`
}

func parseChoice(raw json.RawMessage) (choice, error) {
	var c choice
	if json.Unmarshal(raw, &c.mode) == nil {
		return c, nil
	}
	return c, json.Unmarshal(raw, &c)
}

// forced tells whether the model has no way but to call a tool.
func (c choice) forced() bool {
	switch {
	case c.mode != "":
		return c.mode == "required"
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
	callable := slices.ContainsFunc(declared, tools.Declaration.Known)
	switch {
	case c.mode == "auto" || c.mode == "none":
	case c.mode == "required":
		if !callable {
			faults.Add("tool_choice", `"required" needs at least one tool`)
		}
	case c.mode != "":
		faults.Add("tool_choice", fmt.Sprintf(`%q is not a choice: "auto", "none", "required" or an object`, c.mode))
	case c.Type == "allowed_tools":
		checkAllowed(c, declared, faults)
	case c.Type == tools.TypeFunction || c.Type == tools.TypePlatform:
		if !names(declared, c.Name) {
			faults.Add("tool_choice.name", fmt.Sprintf("%q is not declared in tools", c.Name))
		}
	default:
		faults.Add("tool_choice.type", fmt.Sprintf("%q is not a type that this build can force", c.Type))
	}
}

func checkAllowed(c choice, declared []tools.Declaration, faults *tools.Faults) {
	if c.Mode != "auto" && c.Mode != "required" {
		faults.Add("tool_choice.mode", `must be "auto" or "required"`)
	}
	if len(c.Tools) == 0 {
		faults.Add("tool_choice.tools", "must name at least one tool")
	}
	for i, t := range c.Tools {
		if !names(declared, t.Name) {
			faults.Add(fmt.Sprintf("tool_choice.tools[%d].name", i), fmt.Sprintf("%q is not declared in tools", t.Name))
		}
	}
}

func names(declared []tools.Declaration, name string) bool {
	return name != "" && slices.ContainsFunc(declared, func(d tools.Declaration) bool {
		return d.Known() && d.Name == name
	})
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
