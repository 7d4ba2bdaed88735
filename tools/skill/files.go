package skill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"unicode/utf8"
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

// maxFile is the largest file, in bytes, that can be loaded.
const maxFile = 256 << 10

// readText reads a file of a skill, which name cannot leave: neither by .. nor
// by a symbolic link.
func readText(folder *os.Root, name string) (string, error) {
	switch {
	case strings.ContainsRune(name, 0):
		return "", errors.New("is not a path")
	case path.IsAbs(name):
		return "", errors.New("is absolute: use a path within the folder of the skill")
	}
	data, size, err := readRegular(folder, path.Clean(name), maxFile+1)
	switch {
	case err != nil:
		return "", errors.New(reason(err))
	case len(data) > maxFile:
		return "", fmt.Errorf("is too large: it has %d bytes, at most %d can be loaded", max(size, int64(len(data))), maxFile)
	case !utf8.Valid(data), strings.ContainsRune(string(data), 0):
		return "", fmt.Errorf("is a binary file (%s, %d bytes): only text can be loaded", http.DetectContentType(data), len(data))
	}
	return string(data), nil
}

// readRegular reads at most limit bytes of a file and tells its size.
func readRegular(folder *os.Root, name string, limit int64) (data []byte, size int64, err error) {
	// Opening a pipe would wait for its other end.
	info, err := folder.Stat(name)
	switch {
	case err != nil:
		return nil, 0, err
	case info.IsDir():
		return nil, 0, errors.New("is a folder: name a file in it")
	case !info.Mode().IsRegular():
		return nil, 0, errors.New("is not a regular file")
	}
	file, err := folder.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	data, err = io.ReadAll(io.LimitReader(file, limit))
	return data, info.Size(), err
}

// reason says what is wrong with a file, to follow its name. It does not tell
// where on the worker's disk the skills are.
func reason(err error) string {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "may not be read by the worker"
	case !errors.As(err, &at):
		return err.Error()
	case strings.Contains(at.Err.Error(), "escapes"):
		return "leads out of its folder, where nothing may be read"
	}
	return "cannot be read: " + at.Err.Error()
}
