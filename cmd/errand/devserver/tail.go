package devserver

import (
	"io"
	"strings"
	"sync"
)

const (
	tailBytes = 16 << 10
	tailLines = 12
)

// tail keeps the end of what a process wrote, for the error that says why it
// stopped, and passes all of it on.
type tail struct {
	mu   sync.Mutex
	kept []byte
	log  io.Writer
}

// Write implements io.Writer. It never fails, not even on a full disk: the
// process that writes would die of it.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailBytes; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	if t.log != nil {
		_, _ = t.log.Write(p)
	}
	return len(p), nil
}

// lines is the last n lines.
func (t *tail) lines(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := strings.Split(strings.TrimSpace(string(t.kept)), "\n")
	return strings.Join(all[max(0, len(all)-n):], "\n")
}
