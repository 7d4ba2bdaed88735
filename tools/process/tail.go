package process

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Tail keeps the end of what a process wrote, for the error that says why it
// ended. It may be written and read at the same time.
type Tail struct {
	// Limit is how many bytes are kept.
	Limit int
	// Log gets everything as well, if it is not nil. It may fail.
	Log io.Writer

	mu   sync.Mutex
	kept []byte
	cut  bool
}

// Write implements io.Writer. It never fails, not even when the disk of the
// log is full: the process that writes would die of it.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - t.Limit; over > 0 {
		t.kept, t.cut = append(t.kept[:0], t.kept[over:]...), true
	}
	if t.Log != nil {
		_, _ = t.Log.Write(p)
	}
	return len(p), nil
}

// Text is what is kept, without the blanks around it and the rest of a
// character that was cut at its beginning.
func (t *Tail) Text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept
	for len(kept) > 0 && t.cut && !utf8.RuneStart(kept[0]) {
		kept = kept[1:]
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(kept), "\uFFFD"))
}

// Lines is the last n lines of the text.
func (t *Tail) Lines(n int) string {
	all := strings.Split(t.Text(), "\n")
	return strings.Join(all[max(0, len(all)-n):], "\n")
}
