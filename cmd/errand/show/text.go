// Package show writes what people read of a run: a line for each event, the
// transcript, tables. It only formats; the commands fetch what it shows.
//
// Whatever came from a model, a tool or a server goes through Line or Block
// first, so that it cannot move the cursor or recolour the terminal.
package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Line makes text safe and one line: control characters become spaces or
// visible marks.
func Line(text string) string {
	return strings.Join(strings.Fields(strings.Map(visible, text)), " ")
}

// Block makes text safe and keeps its lines and tabs.
func Block(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return visible(r)
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

// visible maps what a terminal would obey: C0 to its picture, and C1 and the
// characters that turn the direction of writing to a mark.
func visible(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return ' '
	case r < 0x20:
		return 0x2400 + r
	case r == 0x7f:
		return 0x2421
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
		return unicode.ReplacementChar
	}
	return r
}

// Short is one line of at most limit characters.
func Short(text string, limit int) string {
	text = Line(text)
	count := 0
	for i := range text {
		if count == limit-1 && len([]rune(text[i:])) > 1 {
			return text[:i] + "…"
		}
		count++
	}
	return text
}

// wide is how long a JSON text may be and stay on one line.
const wide = 76

// JSON lays JSON text out for reading: small values on one line, others
// indented. What is not JSON stays as it is.
func JSON(raw []byte) string {
	var small bytes.Buffer
	if json.Compact(&small, raw) != nil {
		return Block(string(raw))
	}
	if small.Len() <= wide {
		return Block(small.String())
	}
	var large bytes.Buffer
	if json.Indent(&large, small.Bytes(), "", "  ") != nil {
		return Block(small.String())
	}
	return Block(large.String())
}

// Indent puts two blanks before every line.
func Indent(text string) string {
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// Size is a number of bytes for people.
func Size(n int) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// Duration is a time span for people.
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours())/24)
}

// Count is a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
