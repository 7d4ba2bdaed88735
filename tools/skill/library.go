package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"errand/tools"
)

// Library is the skills below one folder. It does not change once it is
// loaded, and is safe for concurrent use.
type Library struct {
	root   string
	skills []summary
}

// summary is what a model sees of a skill before it loads it.
type summary struct {
	name        string
	description string
}

// Load reads the front matter of every skill below root: of each folder in it,
// but for hidden ones. The error is about root itself, or lists everything
// wrong with the skills, as tools.Faults.
func Load(root string) (*Library, error) {
	full, err := filepath.Abs(root)
	if root == "" || err != nil {
		return nil, errors.New("name the folder that the skills are in")
	}
	dir, err := os.OpenRoot(full)
	if err != nil {
		return nil, fmt.Errorf("skills folder %q %s", root, reason(err))
	}
	defer dir.Close() //nolint:errcheck // nothing was written
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("skills folder %q %s", root, reason(err))
	}
	r := reader{shown: root, dir: dir, first: map[string]string{}}
	for _, entry := range entries {
		if !hidden(entry.Name()) {
			r.entry(entry.Name())
		}
	}
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	return &Library{root: full, skills: r.skills}, nil
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// reader collects the skills of a folder and what is wrong with them.
type reader struct {
	shown  string // the folder, as the caller named it
	dir    *os.Root
	skills []summary
	first  map[string]string // where a name was met first
	faults tools.Faults
}

// entry reads one entry of the folder. Files beside the skills mean nothing.
func (r *reader) entry(folder string) {
	info, err := r.dir.Stat(folder)
	switch {
	case err != nil:
		r.faults.Add(filepath.Join(r.shown, folder), reason(err))
		return
	case !info.IsDir():
		return
	}
	place := filepath.Join(r.shown, folder, instructions)
	head, err := r.head(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.faults.Add(place, "does not exist: write it, or move the folder away from the skills")
		return
	case err != nil:
		r.faults.Add(place, reason(err))
		return
	}
	before := len(r.faults)
	found := frontMatter{place: place, folder: folder, faults: &r.faults}
	found.read(head)
	if at, taken := r.first[found.name.text]; taken {
		r.faults.Add(found.name.place, fmt.Sprintf("name: %q is the name in %s, too: rename one", found.name.text, at))
	} else if found.name.text != "" {
		r.first[found.name.text] = found.name.place
	}
	if len(r.faults) == before {
		r.skills = append(r.skills, summary{found.name.text, found.description.text})
	}
}

// head reads as much of SKILL.md as front matter may take.
func (r *reader) head(folder string) (string, error) {
	inside, err := r.dir.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer inside.Close() //nolint:errcheck // nothing was written
	data, _, err := readRegular(inside, instructions, maxFront)
	return string(data), err
}
