package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"errand/tools"
	"errand/tools/platform"
)

const (
	// maxEntries is how many names one list_files returns.
	maxEntries = 1000
	// maxScanned is how many entries of directories one list_files reads, and
	// readAtOnce how many of them at a time.
	maxScanned = 20_000
	readAtOnce = 500
	// maxDepth is how many levels below the start one list_files enters.
	maxDepth = 100
)

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
	w := walk{ctx: ctx, root: root, recursive: in.Recursive, left: maxScanned}
	if err := w.visit(start, 0); err != nil {
		return "", err
	}
	return w.text(), nil
}

// walk collects at most maxEntries paths, from at most maxScanned entries.
// Symbolic links are listed and not followed.
type walk struct {
	ctx       context.Context
	root      *os.Root
	recursive bool
	lines     []string
	// left is how many entries may still be read.
	left int
	// more is true when there are more than maxEntries, unread when a directory
	// was not read to its end, and deep when one was not entered.
	more, unread, deep bool
}

func (w *walk) visit(at string, depth int) error {
	entries, err := w.entries(at)
	if err != nil && depth == 0 {
		return refusal(at, err)
	}
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	for _, entry := range entries { // a directory that cannot be read does not hide the others
		if isTemporary(entry.Name()) {
			continue
		}
		if len(w.lines) == maxEntries {
			w.more = true
			return nil
		}
		below := path.Join(at, entry.Name())
		if !entry.IsDir() {
			w.lines = append(w.lines, below)
			continue
		}
		w.lines = append(w.lines, below+"/")
		switch {
		case !w.recursive:
		case depth == maxDepth:
			w.deep = true
		default:
			if err := w.visit(below, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// entries reads a directory in pieces, and sorts what it has read.
func (w *walk) entries(at string) ([]fs.DirEntry, error) {
	file, err := openSoon(w.root, at)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	var all []fs.DirEntry
	for w.ctx.Err() == nil {
		if w.left == 0 {
			w.unread = true
			break
		}
		some, err := file.ReadDir(min(readAtOnce, w.left))
		all, w.left = append(all, some...), w.left-len(some)
		if err != nil || len(some) == 0 { // io.EOF, mostly: what is there counts
			break
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}

func (w *walk) text() string {
	slices.Sort(w.lines)
	text := strings.Join(w.lines, "\n")
	if text == "" {
		text = "[no files]"
	}
	switch {
	case w.unread:
		text += fmt.Sprintf("\n[there are more than %d entries, and not all of them were looked at; list a directory below to see the others]", maxScanned)
	case w.more:
		text += fmt.Sprintf("\n[only the first %d entries; list a directory below to see the others]", maxEntries)
	case w.deep:
		text += fmt.Sprintf("\n[directories more than %d levels below were not entered; list one of them to see what is in it]", maxDepth)
	}
	return text
}
