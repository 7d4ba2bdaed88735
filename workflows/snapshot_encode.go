package workflows

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// level is most of what gzip can do, in half of the time.
const level = 3

// encode is the snapshot as it travels: JSON, compressed. Texts stay byte for
// byte as they are, since digests are of their bytes.
func (s snapshot) encode() ([]byte, error) {
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, level)
	if err != nil { // only an unknown level is refused
		return nil, err
	}
	text := json.NewEncoder(zip)
	text.SetEscapeHTML(false)
	if err := errors.Join(text.Encode(s), zip.Close()); err != nil {
		return nil, fmt.Errorf("write down the state of the run: %w", err)
	}
	return packed.Bytes(), nil
}

// decodeSnapshot reads what encode wrote.
func decodeSnapshot(packed []byte) (snapshot, error) {
	var s snapshot
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return s, fmt.Errorf("read the state of the run: %w", err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		return s, fmt.Errorf("read the state of the run: %w", err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("read the state of the run: %w", err)
	}
	if s.Format != snapshotFormat {
		return s, &formatError{s.Format}
	}
	return s, nil
}

// formatError is a snapshot that another build wrote and this one must not
// read.
type formatError struct{ format int }

func (e *formatError) Error() string {
	return fmt.Sprintf("the state of this run has format %d, and this build reads format %d: run the build that wrote it, or a newer one",
		e.format, snapshotFormat)
}
