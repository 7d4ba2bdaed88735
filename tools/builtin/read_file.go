package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"unicode/utf8"

	"errand/tools"
	"errand/tools/platform"
)

// maxRead is how many bytes one read_file returns.
const maxRead = 256 << 10

type readArguments struct {
	Path   string `json:"path"`
	Offset int64  `json:"offset"`
	Limit  int64  `json:"limit"`
}

// readFileTool returns a piece of a text file. Offsets and limits are bytes, so
// that a file of one long line can be read in pieces too.
func readFileTool(files directory) platform.Tool {
	return platform.Tool{
		Name: "read_file",
		Description: "Returns the content of a text file. A large file comes in pieces; " +
			"a note at the end then says with which offset to go on.",
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["path"],"properties":{
			"path":{"type":"string","minLength":1,"description":"path of the file, relative to the files root"},
			"offset":{"type":"integer","minimum":0,"description":"byte to start at, 0 if left out"},
			"limit":{"type":"integer","minimum":0,"description":"most bytes to return; 0 or left out means 262144, which is also the most"}}}`),
		Effect: tools.EffectRead, ReadOnly: true, ParallelSafe: true,
		Execute: platform.Func(func(_ context.Context, in readArguments) (any, error) {
			return files.read(in)
		}),
	}
}

func (d directory) read(in readArguments) (string, error) {
	name, err := tidy(in.Path)
	if err != nil {
		return "", err
	}
	if in.Offset < 0 || in.Limit < 0 {
		return "", errors.New("offset and limit: use 0 or more")
	}
	root, err := d.open()
	if err != nil {
		return "", refusal(name, err)
	}
	defer root.Close() //nolint:errcheck // nothing was written
	// Opening a device can do something to it, so it is looked at before, and
	// again when it is open: it may have been replaced.
	info, err := root.Stat(name)
	if err == nil {
		err = regular(name, info)
	} else {
		err = refusal(name, err)
	}
	if err != nil {
		return "", err
	}
	file, err := openSoon(root, name)
	if err != nil {
		return "", refusal(name, err)
	}
	defer file.Close() //nolint:errcheck // nothing was written
	if info, err = file.Stat(); err != nil {
		return "", refusal(name, err)
	}
	if err := regular(name, info); err != nil {
		return "", err
	}
	return piece(file, name, info.Size(), in)
}

func regular(name string, info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("path: %q is a directory; list_files shows what is in it", name)
	case !info.Mode().IsRegular():
		return fmt.Errorf("path: %q is not a regular file", name)
	}
	return nil
}

// piece reads what was asked for and adds a note if that is not all.
func piece(file *os.File, name string, size int64, in readArguments) (string, error) {
	if in.Offset > size {
		return "", fmt.Errorf("offset: %d is past the end; %q has %d bytes", in.Offset, name, size)
	}
	head := make([]byte, 512)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", refusal(name, err)
	}
	kind := http.DetectContentType(head[:n])
	limit := int64(maxRead)
	if in.Limit > 0 { // less than a character would never get on
		limit = min(max(in.Limit, utf8.UTFMax), maxRead)
	}
	data, err := io.ReadAll(io.NewSectionReader(file, in.Offset, limit))
	if err != nil {
		return "", refusal(name, err)
	}
	text, err := asText(data, kind)
	if err != nil {
		return fmt.Sprintf("[%s is a binary file: %s, %d bytes; its content is not shown]", name, kind, size), nil
	}
	end := in.Offset + int64(len(text))
	if in.Offset+int64(len(data)) >= size { // nothing comes that could complete a cut character
		return tools.Clean(string(data)), nil
	}
	return fmt.Sprintf("%s\n[bytes %d to %d of %d; go on with offset %d]", tools.Clean(text), in.Offset, end, size, end), nil
}
