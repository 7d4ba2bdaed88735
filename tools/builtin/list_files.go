package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"errand/tools"
	"errand/tools/platform"
)

// maxEntries is how many names one list_files returns.
const maxEntries = 1000

type listArguments struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
}

// listFilesTool lists a directory, one path a line, directories with a slash.
func listFilesTool(files directory) platform.Tool {
	return platform.Tool{
		Name:        "list_files",
		Description: "Lists files and directories, one path a line; a directory ends with a slash.",
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
			"path":{"type":"string","description":"directory to list, relative to the files root; the root if left out"},
			"recursive":{"type":"boolean","description":"true lists everything below, too"}}}`),
		Effect: tools.EffectRead, ReadOnly: true, ParallelSafe: true,
		Execute: platform.Func(func(ctx context.Context, in listArguments) (any, error) {
			return files.list(ctx, in)
		}),
	}
}

func (d directory) list(ctx context.Context, in listArguments) (string, error) {
	start, err := tidy(orDot(in.Path))
	if err != nil {
		return "", err
	}
	root, err := d.open()
	if err != nil {
		return "", refusal(start, err)
	}
	defer root.Close() //nolint:errcheck // nothing was written
	info, err := root.Stat(start)
	switch {
	case err != nil:
		return "", refusal(start, err)
	case !info.IsDir():
		return "", fmt.Errorf("path: %q is a file; read_file shows its content", start)
	}
	lines, more, err := walk(ctx, root.FS(), start, in.Recursive)
	if err != nil {
		return "", err
	}
	if len(lines) == 0 {
		return "[no files]", nil
	}
	text := strings.Join(lines, "\n")
	if more {
		text += fmt.Sprintf("\n[only the first %d entries; list a directory below to see the others]", maxEntries)
	}
	return text, nil
}

// walk collects at most maxEntries paths. Symbolic links are listed and not
// followed.
func walk(ctx context.Context, files fs.FS, start string, recursive bool) (lines []string, more bool, err error) {
	err = fs.WalkDir(files, start, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && at == start:
			return refusal(start, err)
		case err != nil: // a directory that cannot be read does not hide the others
			return fs.SkipDir
		case at == start || isTemporary(entry.Name()):
			return nil
		case len(lines) == maxEntries:
			more = true
			return fs.SkipAll
		}
		if entry.IsDir() {
			lines = append(lines, at+"/")
			if !recursive {
				return fs.SkipDir
			}
			return nil
		}
		lines = append(lines, at)
		return nil
	})
	slices.Sort(lines)
	if errors.Is(err, fs.ErrNotExist) {
		err = refusal(start, err)
	}
	return lines, more, err
}
