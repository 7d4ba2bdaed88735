package mcp

import (
	"bytes"
	"io"
)

// bounded passes a stream on as long as no message in it is longer than limit.
// A message ends with a line break, or with an empty line if events is set.
// What is too long ends the stream with end, and over is called.
type bounded struct {
	from   io.Reader
	limit  int
	events bool
	whole  bool // the stream is one message
	over   func()
	end    error

	length int
	copied int
	blank  bool // the last byte was a line break
	ended  bool
}

// maxCopied bounds the work of joining the lines of one event, as a multiple of
// the limit.
const maxCopied = 64

func (b *bounded) Read(p []byte) (int, error) {
	if b.ended {
		return 0, b.end
	}
	n, err := b.from.Read(p)
	if b.measure(p[:n]) {
		b.ended = true
		b.over()
		return 0, b.end
	}
	return n, err
}

// measure tells whether a message went over the limit.
func (b *bounded) measure(p []byte) bool {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			b.length += len(p)
			b.blank = b.blank && len(bytes.Trim(p, "\r")) == 0
			return b.length > b.limit
		}
		b.length += i + 1
		// The library joins the lines of an event one by one.
		if b.copied += b.length; b.length > b.limit || (b.events && b.copied > maxCopied*b.limit) {
			return true
		}
		empty := len(bytes.Trim(p[:i], "\r")) == 0 && b.blank
		if !b.whole && (!b.events || empty) {
			b.length, b.copied = 0, 0
		}
		b.blank = true
		p = p[i+1:]
	}
	return false
}
