package textcall

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// smartQuotes are what word processing makes of straight ones.
var smartQuotes = strings.NewReplacer("\u201C", `"`, "\u201D", `"`, "\u201E", `"`, "\u201F", `"`)

func isSmart(r rune) bool { return r >= '\u201C' && r <= '\u201F' }

// mend makes JSON of what models write for it: smart quotes around strings
// become straight ones, commas before a closing bracket go, and line breaks
// within strings are escaped. A string ends with a quote of the kind that it
// began with, so that the other kind may be part of its text.
func mend(data []byte) []byte {
	out := make([]byte, 0, len(data)+16)
	within, smart := false, false
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		piece := data[i : i+size]
		i += size
		switch {
		case !within && (r == '"' || isSmart(r)):
			within, smart = true, r != '"'
			out = append(out, '"')
		case !within && r == ',' && closes(data[i:]):
		case !within:
			out = append(out, piece...)
		case r == '\\' && i < len(data):
			out = append(out, '\\', data[i])
			i++
		case smart && r == '"':
			out = append(out, `\"`...)
		case r == '"', smart && isSmart(r):
			within = false
			out = append(out, '"')
		case r < ' ':
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, piece...)
		}
	}
	return out
}

// closes tells whether a closing bracket comes next.
func closes(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && (data[0] == '}' || data[0] == ']')
}

// mendAllQuotes is for strings that begin with one kind of quote and end with
// the other.
func mendAllQuotes(data []byte) []byte {
	return mend([]byte(smartQuotes.Replace(string(data))))
}
