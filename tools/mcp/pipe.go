package mcp

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// writeLimit is how long a server may take to read what it is sent. After
// that the stream is broken: part of a message may have gone out.
const writeLimit = 10 * time.Second

// pipe writes messages to a server's standard input, each in one go, and keeps
// account of which requests may have arrived.
type pipe struct {
	to     *os.File
	tap    *tap
	failed func(error)
}

func (p pipe) Write(message []byte) (int, error) {
	s := p.tap.requestIn(message)
	if !p.tap.touch(s) {
		return 0, syscall.EPIPE // the caller has been told that the request did not leave
	}
	if err := p.to.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return 0, err
	}
	n, err := p.to.Write(message)
	switch {
	case errors.Is(err, syscall.EPIPE): // the end of the process is noticed by itself
		// The line did not go out to its end, so the server has not read it.
		s.note(func(x *exchange) { x.touched = false })
	case err != nil:
		p.failed(err)
	}
	return n, err
}

// Close leaves the file to the process that it belongs to.
func (p pipe) Close() error { return nil }

var _ io.WriteCloser = pipe{}
