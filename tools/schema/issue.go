package schema

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxListed   = 20
	maxLine     = 600
	maxReceived = 4000
)

// Issue is one thing wrong with the arguments.
type Issue struct {
	// Path leads to the value, for example stops[0].city; it is empty at the
	// root. For a missing property it names that property.
	Path    string
	Message string
}

func (i Issue) String() string {
	path := i.Path
	if path == "" {
		path = "root"
	}
	return shorten(path+": "+i.Message, maxLine)
}

// Issues is everything wrong with the arguments, ordered by path. Only the first
// hundred are described; the others are empty, and count.
type Issues []Issue

// Message is the text for the model: each issue, at most 20 of them, and what
// was received, cut to 4,000 bytes.
func (all Issues) Message(tool string, received json.RawMessage) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The arguments of %q do not fit its schema:\n", tool)
	for _, issue := range all[:min(len(all), maxListed)] {
		fmt.Fprintf(&b, "  - %s\n", issue)
	}
	if more := len(all) - maxListed; more > 0 {
		fmt.Fprintf(&b, "… and %d more\n", more)
	}
	b.WriteString("\nReceived arguments:\n")
	b.WriteString(pretty(received, maxReceived))
	return b.String()
}

// line lists the first n issues in one line.
func (all Issues) line(n int) string {
	var parts []string
	for _, issue := range all[:min(len(all), n)] {
		parts = append(parts, issue.String())
	}
	if more := len(all) - n; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

var plainKey = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$-]*$`)

// pathOf writes a location in value out. Only the value tells an index from a
// property that looks like one.
func pathOf(at []string, value any) string {
	var b strings.Builder
	for _, step := range at {
		switch part := value.(type) {
		case []any:
			fmt.Fprintf(&b, "[%s]", step)
			value = nil
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(part) {
				value = part[i]
			}
			continue
		case map[string]any:
			value = part[step]
		}
		switch {
		case !plainKey.MatchString(step) || len(step) > 100:
			fmt.Fprintf(&b, "[%s]", strconv.Quote(shorten(step, 100)))
		case b.Len() > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	return b.String()
}

// pretty indents JSON and stops at limit bytes: deep arguments grow a
// thousandfold when they are indented. What is not JSON stays as it is.
func pretty(raw json.RawMessage, limit int) string {
	if !json.Valid(raw) {
		return cutBytes(string(raw), limit)
	}
	var b strings.Builder
	depth, opened := 0, false
	newline := func() { b.WriteString("\n" + strings.Repeat("  ", min(depth, limit))) }
	for i := 0; i < len(raw) && b.Len() <= limit; i++ {
		c := raw[i]
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			continue
		}
		closing := c == '}' || c == ']'
		if closing {
			depth--
		}
		if opened != closing { // an empty pair stays on its line
			newline()
		}
		opened = false
		switch c {
		case '"':
			end := stringEnd(raw, i)
			b.Write(raw[i:end])
			i = end - 1
		case '{', '[':
			b.WriteByte(c)
			depth, opened = depth+1, true
		case ',':
			b.WriteByte(c)
			newline()
		case ':':
			b.WriteString(": ")
		default:
			b.WriteByte(c)
		}
	}
	return cutBytes(b.String(), limit)
}

// stringEnd is the place after the JSON string that starts at i.
func stringEnd(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// cutBytes cuts text to limit bytes on a rune border, the ellipsis included.
func cutBytes(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	end := limit - len("…")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
