// Package sse reads server-sent events as model servers send them. Three things
// that libraries do not do are promised here: a last event without its blank
// line is given out, and marked as cut; any line end of the standard is one,
// also when a connection parts it; and what is read is bounded, a line and a
// whole stream, with an error that says so.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
)

// TooLargeError is the error for more bytes than it says, in one line of a stream
// or in all of it.
type TooLargeError int

func (e TooLargeError) Error() string {
	return fmt.Sprintf("the answer is larger than %d bytes", int(e))
}

// Limit is source, failing with a TooLargeError once more than limit bytes have
// been read.
func Limit(source io.Reader, limit int) io.Reader { return &limited{source: source, limit: limit} }

type limited struct {
	source      io.Reader
	limit, read int
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.source.Read(p)
	if l.read += n; l.read > l.limit {
		return n, TooLargeError(l.limit)
	}
	return n, err
}

// Event is one event of a stream as it was sent.
type Event struct {
	// Name is that of the field event; most servers leave it out.
	Name string
	Data []byte
	// Cut says that the stream ended before the blank line that ends an event:
	// the data may be whole or not.
	Cut bool
}

// Reader reads an event stream by the rules of the HTML standard: lines end in
// LF, CR LF or CR, comments and unknown fields are skipped, the data of
// several lines is joined. Unlike the standard it gives out a last event that
// lacks its blank line.
type Reader struct {
	lines   *bufio.Scanner
	maxLine int
	// searched is how much of what waits in the scanner holds no line end.
	searched int
	// afterCR says that an LF now belongs to the line end before it.
	afterCR bool
	begun   bool
}

// NewReader reads source. A line of more than maxLine bytes is a TooLargeError.
func NewReader(source io.Reader, maxLine int) *Reader {
	r := &Reader{lines: bufio.NewScanner(source), maxLine: maxLine}
	r.lines.Buffer(nil, maxLine)
	r.lines.Split(r.split)
	return r
}

// Next is the next event that holds data; io.EOF when there is no more.
func (r *Reader) Next() (Event, error) {
	var got Event
	var data []byte // not nil once there is a data field
	for r.lines.Scan() {
		line := r.lines.Bytes()
		if !r.begun {
			line, r.begun = bytes.TrimPrefix(line, []byte("\ufeff")), true
		}
		if len(line) == 0 {
			if len(data) > 0 {
				got.Data = data
				return got, nil
			}
			got, data = Event{}, nil
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			got.Name = string(value)
		case "data":
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
			if data == nil {
				data = []byte{}
			}
		}
	}
	if len(data) > 0 {
		got.Data, got.Cut = data, true
		return got, nil
	}
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return Event{}, TooLargeError(r.maxLine)
	case err != nil:
		return Event{}, err
	}
	return Event{}, io.EOF
}

// split cuts off one line. It remembers how far it has looked, since it is
// asked again about the same bytes whenever more have come.
func (r *Reader) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
	start := 0
	if r.afterCR && len(data) > 0 && data[0] == '\n' {
		start = 1
	}
	from := min(max(start, r.searched), len(data)) // the scanner drops a last CR LF's LF
	if i := bytes.IndexAny(data[from:], "\r\n"); i >= 0 {
		end := from + i
		r.searched, r.afterCR = 0, data[end] == '\r'
		return end + 1, data[start:end], nil
	}
	if atEOF && len(data) > start {
		r.searched = 0
		return len(data), data[start:], nil
	}
	r.searched = len(data)
	return 0, nil, nil
}

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
