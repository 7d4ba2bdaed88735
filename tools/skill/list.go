package skill

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// maxListed is how many files of a skill are listed.
const maxListed = 200

// list is the part of an answer that names the other files of a skill; it is
// empty if there are none. Hidden files, and links to what is not a file of
// the skill, are left out.
func list(ctx context.Context, folder *os.Root) (string, error) {
	var lines []string
	more := ""
	err := fs.WalkDir(folder.FS(), ".", func(at string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil: // a folder that cannot be read does not hide the others
			return fs.SkipDir
		case at != "." && hidden(entry.Name()) && entry.IsDir():
			return fs.SkipDir
		case hidden(entry.Name()), entry.IsDir(), at == instructions:
			return nil
		}
		if info, err := folder.Stat(at); err != nil || !info.Mode().IsRegular() {
			return nil //nolint:nilerr // what cannot be read is not offered
		}
		if len(lines) == maxListed {
			more = fmt.Sprintf("\n[only the first %d files are listed]", maxListed)
			return fs.SkipAll
		}
		lines = append(lines, "- "+at)
		return nil
	})
	if err != nil || len(lines) == 0 {
		return "", err
	}
	return "\n\nFiles of this skill, to load with the parameter file:\n" + strings.Join(lines, "\n") + more, nil
}
