package skill

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"errand/tools"
	"errand/tools/platform"
)

const (
	// maxDescription is the longest description of a skill, in bytes, that a
	// model is shown, and maxDescriptions bounds all of them together.
	maxDescription  = 1024
	maxDescriptions = 16 << 10
)

// Tool is the platform tool load_skill.
func (l *Library) Tool() platform.Tool {
	return platform.Tool{
		Name: "load_skill", Description: l.describe(), Parameters: l.parameters(),
		Effect: tools.EffectRead, ReadOnly: true, ParallelSafe: true,
		Execute: platform.Func(l.load),
	}
}

// arguments are those of load_skill.
type arguments struct {
	Name string `json:"name"`
	File string `json:"file"`
}

func (l *Library) names() []string {
	all := make([]string, len(l.skills))
	for i, s := range l.skills {
		all[i] = s.name
	}
	return all
}

// describe lists the skills.
func (l *Library) describe() string {
	if len(l.skills) == 0 {
		return "Loads a skill. There is none at present."
	}
	var b strings.Builder
	b.WriteString("Loads a skill: instructions for one kind of task. " +
		"When a task fits a skill, load it before you begin, and follow it. The skills:")
	room := min(maxDescription, maxDescriptions/len(l.skills))
	for _, s := range l.skills {
		fmt.Fprintf(&b, "\n- %s: %s", s.name, tools.Shorten(tools.Line(s.description), room))
	}
	return b.String()
}

// parameters are the JSON Schema of arguments.
func (l *Library) parameters() json.RawMessage {
	name, _ := json.Marshal(struct { // texts always encode
		Type string   `json:"type"`
		Enum []string `json:"enum,omitempty"`
	}{"string", l.names()})
	return fmt.Appendf(nil, `{"type":"object","additionalProperties":false,"required":["name"],"properties":{
		"name":%s,
		"file":{"type":"string","description":"a file of the skill, to load in place of its instructions; the path is relative to the skill"}}}`, name)
}

// load reads what the model asks for, as it is now.
func (l *Library) load(ctx context.Context, in arguments) (any, error) {
	if !slices.Contains(l.names(), in.Name) {
		return nil, fmt.Errorf("name: there is no skill %q; there are: %s", in.Name, strings.Join(l.names(), ", "))
	}
	folder, err := l.open(in.Name)
	if err != nil {
		return nil, fmt.Errorf("name: the skill %q cannot be loaded: its folder %s", in.Name, reason(err))
	}
	defer folder.Close() //nolint:errcheck // nothing was written
	if in.File != "" {
		text, err := readText(folder, in.File)
		if err != nil {
			return nil, fmt.Errorf("file: %q %w", in.File, err)
		}
		return text, nil
	}
	text, err := readText(folder, instructions)
	if err != nil {
		return nil, fmt.Errorf("name: the skill %q cannot be loaded: %s %w", in.Name, instructions, err)
	}
	_, body, _ := split(text)
	files, err := list(ctx, folder)
	return strings.TrimSpace(body) + files, err
}

// open is the folder of a skill.
func (l *Library) open(name string) (*os.Root, error) {
	root, err := os.OpenRoot(l.root)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	return root.OpenRoot(name)
}
