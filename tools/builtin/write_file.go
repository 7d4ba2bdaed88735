package builtin

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"errand/tools"
	"errand/tools/platform"
)

type writeArguments struct {
	Path    string  `json:"path"`
	Content *string `json:"content"`
}

// writeFileTool writes a whole file. Repeating it leaves the same file, so a
// lost call is simply made again.
func writeFileTool(files directory) platform.Tool {
	return platform.Tool{
		Name:        "write_file",
		Description: "Writes a text file as a whole. Missing directories are made; an existing file is replaced.",
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path","content"],"properties":{
			"path":{"type":"string","minLength":1,"description":"path of the file, relative to the files root"},
			"content":{"type":"string","description":"the whole new content"}}}`),
		Effect: tools.EffectIdempotent,
		Execute: platform.Func(func(_ context.Context, in writeArguments) (any, error) {
			return files.write(in)
		}),
	}
}

func (d directory) write(in writeArguments) (any, error) {
	name, err := tidy(in.Path)
	if err != nil {
		return nil, err
	}
	if name == "." || strings.HasSuffix(in.Path, "/") {
		return nil, fmt.Errorf("path: %q names a directory; name a file in it", in.Path)
	}
	if in.Content == nil {
		return nil, errors.New("content: required; an empty string makes an empty file")
	}
	root, err := d.create()
	if err != nil {
		return nil, refusal(name, err)
	}
	defer root.Close() //nolint:errcheck // the file itself is closed and checked
	mode, kind, err := standing(root, name)
	if err != nil {
		return nil, err
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return nil, refusal(path.Dir(name), err)
	}
	if err := replace(root, name, *in.Content, mode); err != nil {
		return nil, refusal(name, err)
	}
	size := fmt.Sprintf("%d bytes", len(*in.Content))
	return tools.Output{
		Content: fmt.Sprintf("%s %s (%s)", kind, name, size),
		Changes: []tools.Change{{Resource: "file:" + name, Kind: kind, Detail: size}},
	}, nil
}

// standing looks at what is there now: the mode to keep, 0 for a new file, and
// the kind of change.
func standing(root *os.Root, name string) (fs.FileMode, string, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, "created", nil
	case err != nil:
		return 0, "", refusal(name, err)
	case info.IsDir():
		return 0, "", fmt.Errorf("path: %q is a directory; name a file in it", name)
	case !info.Mode().IsRegular():
		return 0, "", fmt.Errorf("path: %q is a link or a special file; it is not written to, use another name", name)
	}
	return info.Mode().Perm(), "updated", nil
}

// replace writes beside the file and renames, so that nobody ever sees half of
// it, whenever the worker dies.
func replace(root *os.Root, name, content string, mode fs.FileMode) (err error) {
	temporary := path.Join(path.Dir(name), temporaryPrefix+rand.Text()+".tmp")
	file, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Remove(temporary))
		}
	}()
	_, err = file.WriteString(content)
	if err == nil && mode != 0 {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return root.Rename(temporary, name)
}

const temporaryPrefix = ".errand-"

// isTemporary tells a file that replace left behind when its worker died.
func isTemporary(name string) bool {
	return strings.HasPrefix(name, temporaryPrefix) && strings.HasSuffix(name, ".tmp")
}
