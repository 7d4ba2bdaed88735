package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// directory is the root that the file tools are confined to. Every access goes
// through os.Root, which refuses to leave it by .. or by a symbolic link.
type directory string

var errNoDirectory = errors.New("this worker has no directory for files: its configuration names none under files.root")

// open returns the root, or fs.ErrNotExist if nothing was ever written.
func (d directory) open() (*os.Root, error) {
	if d == "" {
		return nil, errNoDirectory
	}
	return os.OpenRoot(string(d))
}

// create is open for a write: it makes the directory.
func (d directory) create() (*os.Root, error) {
	if d != "" {
		if err := os.MkdirAll(string(d), 0o755); err != nil { //nolint:gosec // what tools write is for others to read
			return nil, fmt.Errorf("the directory for files cannot be made: %w", err)
		}
	}
	return d.open()
}

// openSoon opens a file or directory for reading without waiting: opening a pipe
// would wait for its other end, and a name may become one at any time. What it
// returns has to be looked at before it is read.
func openSoon(root *os.Root, name string) (*os.File, error) {
	return root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// tidy makes the path of a model plain: a/./b becomes a/b. What leaves the root
// is refused here with a better text than the system's; os.Root has the last
// word.
func tidy(name string) (string, error) {
	if strings.TrimSpace(name) == "" || strings.ContainsRune(name, 0) {
		return "", errors.New("path: name a file, for example notes/today.txt")
	}
	if path.IsAbs(name) {
		return "", fmt.Errorf("path: %q is absolute; use a path relative to the files root, such as %q", name, orDot(strings.TrimLeft(name, "/")))
	}
	clean := path.Clean(name)
	if clean == ".." || strings.HasPrefix(clean, "../") {
		return "", fmt.Errorf("path: %q leads out of the files root; only files below it can be used", name)
	}
	return clean, nil
}

func orDot(name string) string {
	if name == "" {
		return "."
	}
	return name
}

// refusal puts an error of the file system into words for a model. They do not
// tell where on the worker's disk the root is.
func refusal(name string, err error) error {
	switch {
	case errors.Is(err, errNoDirectory):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("path: no such file: %q; list_files shows what there is", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("path: the worker may not use %q", name)
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		if strings.Contains(at.Err.Error(), "escapes") {
			return fmt.Errorf("path: %q leads out of the files root; only files below it can be used", name)
		}
		return fmt.Errorf("path: %q: %s", name, at.Err.Error())
	}
	return fmt.Errorf("path: %q: %s", name, err.Error())
}
