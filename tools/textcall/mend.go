package textcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxWraps is how many times an object may be wrapped in a JSON string.
const maxWraps = 3

// object is the JSON object that data holds: as it is, in a markdown fence,
// in a JSON string, or with faults that can be mended.
func object(data []byte, wraps int) (json.RawMessage, bool) {
	data = unfence(bytes.TrimSpace(data))
	for _, attempt := range []func([]byte) []byte{asWritten, mend, mendAllQuotes} {
		text := attempt(data)
		if !json.Valid(text) {
			continue
		}
		if text[0] == '{' {
			return bytes.ToValidUTF8(text, []byte("\uFFFD")), true
		}
		var held string
		if wraps == 0 || json.Unmarshal(text, &held) != nil {
			return nil, false
		}
		return object([]byte(held), wraps-1)
	}
	return nil, false
}

func asWritten(data []byte) []byte { return data }

// unfence takes away a markdown fence with its language.
func unfence(data []byte) []byte {
	const fence = "```"
	if len(data) < 2*len(fence) || !bytes.HasPrefix(data, []byte(fence)) || !bytes.HasSuffix(data, []byte(fence)) {
		return data
	}
	inner := data[len(fence) : len(data)-len(fence)]
	return bytes.TrimSpace(bytes.TrimLeft(inner, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"))
}

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
