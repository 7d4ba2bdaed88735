package skill

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"errand/tools"
)

const (
	// instructions is the file that makes a folder a skill.
	instructions = "SKILL.md"
	// maxFront is how many bytes front matter may take.
	maxFront = 64 << 10
)

var skillName = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// frontMatter is that of one SKILL.md, and records its faults.
type frontMatter struct {
	place  string
	folder string
	faults *tools.Faults

	name, description member
}

// member is the text of a key and where it stands. A key that is missing has no
// place.
type member struct {
	text  string
	place string
	// faulty says that its fault is known.
	faulty bool
}

// read takes name and description out of the beginning of a SKILL.md. Other
// keys are for other programs.
func (f *frontMatter) read(head string) {
	front, _, ok := split(head)
	if !ok {
		f.faults.Add(f.place+":1", `has no front matter: begin with a line "---", the keys name and description, and a line "---"`)
		return
	}
	var document yaml.Node
	// The first line is part of it, so that lines count as in the file.
	if err := yaml.Unmarshal([]byte("---\n"+front), &document); err != nil {
		f.faults.Add(f.place, "the front matter cannot be read: "+strings.TrimPrefix(err.Error(), "yaml: "))
		return
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		f.faults.Add(f.place+":1", "the front matter must be keys with values, such as name and description")
		return
	}
	f.members(document.Content[0].Content)
	f.check()
}

func (f *frontMatter) members(pairs []*yaml.Node) {
	for i := 0; i+1 < len(pairs); i += 2 {
		key, value := pairs[i], pairs[i+1]
		target := map[string]*member{"name": &f.name, "description": &f.description}[key.Value]
		if target == nil {
			continue
		}
		place := fmt.Sprintf("%s:%d", f.place, key.Line)
		switch {
		case target.place != "":
			f.faults.Add(place, key.Value+": stands here a second time: keep one of them")
		case value.Kind != yaml.ScalarNode:
			f.faults.Add(place, key.Value+": must be text")
			target.faulty = true
		case value.ShortTag() != "!!null":
			target.text = strings.TrimSpace(value.Value)
		}
		target.place = place
	}
}

// check looks at the values of keys that are there, and misses the others.
func (f *frontMatter) check() {
	switch name := f.name.text; {
	case name == "":
		f.required("name", f.name, fmt.Sprintf("the name of the folder, %q", f.folder))
	case !skillName.MatchString(name):
		f.faults.Add(f.name.place, fmt.Sprintf("name: %q: use 1 to 64 lower-case letters, digits and dashes", name))
		f.name.text = ""
	case name != f.folder:
		f.faults.Add(f.name.place, fmt.Sprintf("name: %q is not the name of the folder, %q: make them the same", name, f.folder))
	}
	if f.description.text == "" {
		f.required("description", f.description, "what the skill does and when to use it")
	}
}

func (f *frontMatter) required(key string, m member, what string) {
	if m.faulty {
		return
	}
	place := f.place
	if m.place != "" {
		place = m.place
	}
	f.faults.Add(place, key+": required: "+what)
}

// split parts front matter and body. Without front matter all is body.
func split(text string) (front, body string, ok bool) {
	text = strings.TrimPrefix(text, "\uFEFF")
	opening, rest, _ := strings.Cut(text, "\n")
	if !isRule(opening) {
		return "", text, false
	}
	for from := 0; from < len(rest); {
		line, _, _ := strings.Cut(rest[from:], "\n")
		if isRule(line) {
			return rest[:from], strings.TrimPrefix(rest[from+len(line):], "\n"), true
		}
		from += len(line) + 1
	}
	return "", text, false
}

func isRule(line string) bool { return strings.TrimRight(line, " \t\r") == "---" }
