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

// pipe writes messages to a server's standard input.
type pipe struct {
	to     *os.File
	failed func(error)
}

func (p pipe) Write(message []byte) (int, error) {
	if err := p.to.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
		return 0, err
	}
	n, err := p.to.Write(message)
	if err != nil && !errors.Is(err, syscall.EPIPE) { // the end of the process is noticed by itself
		p.failed(err)
	}
	return n, err
}

// Close leaves the file to the process that it belongs to.
func (p pipe) Close() error { return nil }

var _ io.WriteCloser = pipe{}
