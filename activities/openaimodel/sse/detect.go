package sse

import (
	"bufio"
	"bytes"
	"mime"
	"net/http"
)

// fieldNames begin a stream that says what it is in no header.
var fieldNames = []string{":", "data:", "event:", "id:", "retry:"}

// IsStream tells an event stream from another body by how it begins, since
// servers that cannot stream answer whole, and content types are not to be
// relied on. Leading space is skipped.
func IsStream(body *bufio.Reader, header http.Header) bool {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	declared := kind == "text/event-stream"
	for {
		first, err := body.Peek(1)
		if err != nil {
			return declared
		}
		switch first[0] {
		case ' ', '\t', '\r', '\n':
			_, _ = body.Discard(1)
			continue
		case '{', '[', '<', '"':
			return false
		}
		break
	}
	if declared {
		return true
	}
	begun, _ := body.Peek(len("event:"))
	for _, name := range fieldNames {
		if bytes.HasPrefix(begun, []byte(name)) {
			return true
		}
	}
	return false
}
