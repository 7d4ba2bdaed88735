package openaimodel

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	// maxLineBytes bounds one line of a stream. The last event of a response
	// repeats the whole answer in one line.
	maxLineBytes = maxReplyBytes
	// maxStreamBytes bounds a whole stream: some hundred bytes go with each
	// token, and the text comes again at the end.
	maxStreamBytes = 4 * maxReplyBytes
)

// tooLarge is the error for an answer of more bytes than it says.
type tooLarge int

func (t tooLarge) Error() string { return fmt.Sprintf("the answer is larger than %d bytes", int(t)) }

// bounded fails once more than limit bytes have been read.
type bounded struct {
	source      io.Reader
	limit, read int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.source.Read(p)
	if b.read += n; b.read > b.limit {
		return n, tooLarge(b.limit)
	}
	return n, err
}

// frame is one event of a stream as it was sent.
type frame struct {
	name string
	data []byte
	// cut says that the stream ended before the blank line that ends a frame:
	// the data may be whole or not.
	cut bool
}

// frames reads an event stream by the rules of the HTML standard: lines end in
// LF, CR LF or CR, comments and unknown fields are skipped, the data of
// several lines is joined. Unlike the standard it gives out a last frame that
// lacks its blank line.
type frames struct {
	lines *bufio.Scanner
	// searched is how much of what waits in the scanner holds no line end.
	searched int
	// afterCR says that an LF now belongs to the line end before it.
	afterCR bool
	begun   bool
}

func newFrames(source io.Reader) *frames {
	f := &frames{lines: bufio.NewScanner(source)}
	f.lines.Buffer(nil, maxLineBytes)
	f.lines.Split(f.split)
	return f
}

// next is the next frame that holds data; io.EOF when there is no more.
func (f *frames) next() (frame, error) {
	var got frame
	var data []byte // not nil once there is a data field
	for f.lines.Scan() {
		line := f.lines.Bytes()
		if !f.begun {
			line, f.begun = bytes.TrimPrefix(line, []byte("\ufeff")), true
		}
		if len(line) == 0 {
			if len(data) > 0 {
				got.data = data
				return got, nil
			}
			got, data = frame{}, nil
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			got.name = string(value)
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
		got.data, got.cut = data, true
		return got, nil
	}
	switch err := f.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return frame{}, tooLarge(maxLineBytes)
	case err != nil:
		return frame{}, err
	}
	return frame{}, io.EOF
}

// split cuts off one line. It remembers how far it has looked, since it is
// asked again about the same bytes whenever more have come.
func (f *frames) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
	start := 0
	if f.afterCR && len(data) > 0 && data[0] == '\n' {
		start = 1
	}
	from := min(max(start, f.searched), len(data)) // the scanner drops a last CR LF's LF
	if i := bytes.IndexAny(data[from:], "\r\n"); i >= 0 {
		end := from + i
		f.searched, f.afterCR = 0, data[end] == '\r'
		return end + 1, data[start:end], nil
	}
	if atEOF && len(data) > start {
		f.searched = 0
		return len(data), data[start:], nil
	}
	f.searched = len(data)
	return 0, nil, nil
}
