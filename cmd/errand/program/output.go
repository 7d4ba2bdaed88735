package program

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	// besides is room for the fields around an output, in bytes.
	besides = 1024
	// maxStderr bounds what is kept of standard error, in bytes.
	maxStderr = 4 << 10
)

// head keeps the beginning of what is written and counts the rest, so that a
// program never blocks on a full pipe.
type head struct {
	limit, total int
	kept         []byte
}

// Write implements io.Writer; it never fails.
func (h *head) Write(p []byte) (int, error) {
	h.total += len(p)
	h.kept = append(h.kept, p[:min(len(p), h.limit-len(h.kept))]...)
	return len(p), nil
}

func (h *head) text() string { return strings.ToValidUTF8(string(h.kept), "\uFFFD") }

// fit cuts text to what one answer may take as JSON, and says so at its end.
func fit(text string, total, maxOutput int) string {
	marker := fmt.Sprintf("\n[cut: the program printed %d bytes]", total)
	size, room := 2, 0 // the quotes; the last place where the marker still fits
	for i, r := range text {
		if size <= maxOutput-len(marker)-1 {
			room = i
		}
		if size += encoded(r); size > maxOutput {
			return text[:room] + marker
		}
	}
	if total > maxOutput {
		return text[:room] + marker
	}
	return text
}

// encoded is how many bytes encoding/json takes for r.
func encoded(r rune) int {
	switch {
	case strings.ContainsRune("\"\\\n\r\t\b\f", r):
		return 2
	case r < 0x20, strings.ContainsRune("<>&\u2028\u2029", r):
		return 6
	}
	return utf8.RuneLen(r)
}
