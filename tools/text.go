package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxOutput is the size in bytes above which the output of a call is cut.
const MaxOutput = 1 << 20

// Clean replaces what is not valid UTF-8 by U+FFFD, one for each run of
// invalid bytes.
func Clean(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// Cut cleans an output and shortens it to limit bytes, a marker at the end
// included. The limit holds for the text and for its JSON encoding: that is
// what travels, and control characters take six bytes there. It returns the
// size in bytes of the whole output if it had to cut, else 0.
func Cut(output string, limit int) (cut string, full int) {
	if len(output) <= limit && utf8.ValidString(output) && encodedFits(output, limit) {
		return output, 0
	}
	whole := Clean(output)
	if encodedFits(whole, limit) {
		return whole, 0
	}
	full = len(output)
	// One more than the marker is long: its line break takes two in JSON.
	room := limit - len(cutMarker(full, full)) - 1
	if room < 0 {
		text, _ := prefix(output, limit)
		return text, full
	}
	text, shown := prefix(output, room)
	return text + cutMarker(shown, full), full
}

func cutMarker(shown, full int) string {
	return fmt.Sprintf("\n[… cut by Errand: %d of %d bytes shown]", shown, full)
}

// prefix is as much of output, cleaned, as encodes to room bytes, and how many
// bytes of output that is.
func prefix(output string, room int) (text string, shown int) {
	var b strings.Builder
	invalid := false
	for shown < len(output) {
		r, size := utf8.DecodeRuneInString(output[shown:])
		bad := r == utf8.RuneError && size == 1
		if !bad || !invalid {
			if room -= encodedLen(r); room < 0 {
				break
			}
			b.WriteRune(r)
		}
		invalid = bad
		shown += size
	}
	return b.String(), shown
}

func encodedFits(text string, limit int) bool {
	for _, r := range text {
		if limit -= encodedLen(r); limit < 0 {
			return false
		}
	}
	return limit >= 0
}

// encodedLen is how many bytes encoding/json makes of a character in a string.
func encodedLen(r rune) int {
	switch {
	case r == '"' || r == '\\' || r == '\b' || r == '\f' || r == '\n' || r == '\r' || r == '\t':
		return 2
	case r < 0x20 || r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029':
		return 6
	}
	return utf8.RuneLen(r)
}

// Line is text on one line: clean, with one space for each run of white space.
func Line(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// Shorten cleans text and cuts it to limit bytes, the ellipsis included: at
// least that stays.
func Shorten(text string, limit int) string {
	text = Clean(text)
	if len(text) <= limit {
		return text
	}
	end := max(0, limit-len(ellipsis))
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}

// ShortenRunes cuts text to limit characters, the ellipsis included.
func ShortenRunes(text string, limit int) string {
	count, end := 0, 0
	for i := range text {
		if count == limit-1 {
			end = i
		}
		if count++; count > limit {
			return text[:end] + ellipsis
		}
	}
	return text
}

const ellipsis = "…"
