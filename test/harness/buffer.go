package harness

import (
	"strings"
	"sync"
)

// buffer collects the output of a process while tests read it.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
	// also gets everything as well: the two streams of a process in the order
	// in which they came.
	also *buffer
}

// Write implements io.Writer.
func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	b.text.Write(p)
	b.mu.Unlock()
	if b.also != nil {
		return b.also.Write(p)
	}
	return len(p), nil
}

// String is all that was written so far.
func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
