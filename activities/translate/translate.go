// Package translate turns a run's conversation into what its model is sent, and
// the model's answer into items of the conversation. Models know functions with
// flat names; callers know namespaces, custom tools and hosted tools.
package translate

import (
	"encoding/json"

	"errand/activities/model"
	"errand/tools"
)

// Surface is what stays the same for the model in every round of a run: tools,
// instructions and settings. Runs refer to it by digest, so it enters no
// history.
type Surface struct {
	Model             string                     `json:"model"`
	Instructions      string                     `json:"instructions,omitempty"`
	Tools             []model.FunctionTool       `json:"tools,omitempty"`
	ParallelToolCalls *bool                      `json:"parallel_tool_calls,omitempty"`
	Settings          map[string]json.RawMessage `json:"settings,omitempty"`
	// TextCalls has calls read from the text of answers that have no others.
	TextCalls bool `json:"text_calls,omitempty"`
	// Names tie model-visible names to what the caller knows, where the two
	// differ.
	Names []Name `json:"names,omitempty"`
}

// Name is one model-visible name and the tool that it stands for.
type Name struct {
	Visible string `json:"visible"`
	tools.Identity
	// Type is the tool's declaration type.
	Type string `json:"type"`
}

// Translator is where public names and shapes become the model's own and come
// back. Names are looked up in both directions; a flat name is never taken
// apart.
type Translator struct {
	Surface
	byVisible map[string]Name
	byPublic  map[tools.Identity]Name
	shown     map[string]bool
}

// New makes the translator of a surface.
func New(s Surface) *Translator {
	t := &Translator{
		Surface: s, byVisible: map[string]Name{}, byPublic: map[tools.Identity]Name{}, shown: map[string]bool{},
	}
	for _, n := range s.Names {
		t.byVisible[n.Visible] = n
		t.byPublic[n.Identity] = n
	}
	for _, tool := range s.Tools {
		t.shown[tool.Name] = true
	}
	for _, n := range s.Names {
		// Some models join a namespace with a dot whatever they were shown.
		dotted := n.String()
		if _, taken := t.byVisible[dotted]; !taken && !t.shown[dotted] {
			t.byVisible[dotted] = n
		}
	}
	return t
}

// visible is the model's name of a tool. One that was not declared, in an
// earlier conversation, is flattened in the same way.
func (t *Translator) visible(id tools.Identity) string {
	if n, ok := t.byPublic[id]; ok {
		return n.Visible
	}
	return tools.FlatName(id)
}

// public is the tool that a model-visible name stands for.
func (t *Translator) public(visible string) Name {
	if n, ok := t.byVisible[visible]; ok {
		return n
	}
	return Name{Visible: visible, Identity: tools.Identity{Name: visible}}
}
