package mcp

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// boundedReader passes a stream on as long as no message in it is longer than
// limit. A message ends with a line break, or with an empty line if events is
// set. What is too long ends the stream with end, and over is called.
type boundedReader struct {
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

func (b *boundedReader) Read(p []byte) (int, error) {
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
func (b *boundedReader) measure(p []byte) bool {
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

type stream struct {
	io.Reader
	io.Closer
}

// endNotifier tells when a stream has ended.
type endNotifier struct {
	from  io.Reader
	ended func()
}

func (w *endNotifier) Read(p []byte) (int, error) {
	n, err := w.from.Read(p)
	if err != nil {
		w.ended()
	}
	return n, err
}

// gzipBody is a gzip stream; its header is read with the first byte.
type gzipBody struct {
	from io.Reader
	zip  *gzip.Reader
}

func (u *gzipBody) Read(p []byte) (int, error) {
	if u.zip == nil {
		zip, err := gzip.NewReader(u.from)
		if err != nil {
			return 0, err
		}
		u.zip = zip
	}
	return u.zip.Read(p)
}

// writeLimit is how long a server may take to read what it is sent. After
// that the stream is broken: part of a message may have gone out.
const writeLimit = 10 * time.Second

// stdinWriter writes messages to a server's standard input, each in one go, and
// keeps account of which requests may have arrived.
type stdinWriter struct {
	to          *os.File
	interceptor *interceptor
	failed      func(error)
}

func (p stdinWriter) Write(message []byte) (int, error) {
	s := p.interceptor.requestIn(message)
	if !p.interceptor.markSent(s) {
		return 0, syscall.EPIPE // the caller has been told that the request did not leave
	}
	if err := p.to.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return 0, err
	}
	n, err := p.to.Write(message)
	switch {
	case errors.Is(err, syscall.EPIPE): // the end of the process is noticed by itself
		// The line did not go out to its end, so the server has not read it.
		s.note(func(record *requestRecord) { record.sent = false })
	case err != nil:
		p.failed(err)
	}
	return n, err
}

// Close leaves the file to the process that it belongs to.
func (p stdinWriter) Close() error { return nil }

var _ io.WriteCloser = stdinWriter{}
