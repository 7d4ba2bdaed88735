package webui

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
)

// pipe speaks the DevTools protocol: JSON messages that end with a zero byte.
type pipe struct {
	mu     sync.Mutex
	to     *os.File
	from   *os.File
	reader *bufio.Reader
	last   int
}

// newPipe also returns the two ends that belong to Chromium, as the file
// descriptors 3 and 4 of that process.
func newPipe() (p *pipe, theirs []*os.File, err error) {
	reads, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	from, writes, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, reads.Close(), to.Close())
	}
	return &pipe{to: to, from: from, reader: bufio.NewReader(from)}, []*os.File{reads, writes}, nil
}

func (p *pipe) close() {
	_ = p.to.Close()
	_ = p.from.Close()
}

// command is one request. Session names the page; empty is the browser.
type command struct {
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
	Session string `json:"sessionId,omitempty"`
}

// call sends one request and reads until its reply; what else comes is news
// that nobody waits for. It ends with the pipe at the latest.
func (p *pipe) call(c command, result any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	c.ID = p.last
	request, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if _, err := p.to.Write(append(request, 0)); err != nil {
		return fmt.Errorf("%s: Chromium has ended: %w", c.Method, err)
	}
	for {
		message, err := p.reader.ReadBytes(0)
		if err != nil {
			return fmt.Errorf("%s: Chromium has ended: %w", c.Method, err)
		}
		var reply struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(message[:len(message)-1], &reply); err != nil {
			return fmt.Errorf("%s: %w", c.Method, err)
		}
		switch {
		case reply.ID != c.ID:
			continue
		case reply.Error != nil:
			return fmt.Errorf("%s: %s", c.Method, reply.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(reply.Result, result)
	}
}
