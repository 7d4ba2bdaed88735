package item

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// citation is a url_citation. Its indices count characters (code points) of the
// part's text; the end is exclusive.
type citation struct {
	Type  string `json:"type"`
	URL   string `json:"url"`
	Title string `json:"title"`
	Start int    `json:"start_index"`
	End   int    `json:"end_index"`
}

// Cite adds a url_citation to a message for every address in its output_text
// that is a key of titles. Annotations that it has already are kept. An item
// without such an address is returned as it is.
func Cite(raw json.RawMessage, titles map[string]string) json.RawMessage {
	head, err := Peek(raw)
	if err != nil || head.Type != TypeMessage {
		return raw
	}
	var message map[string]json.RawMessage
	var parts []json.RawMessage
	if json.Unmarshal(raw, &message) != nil || json.Unmarshal(message["content"], &parts) != nil {
		return raw
	}
	found := false
	for i, part := range parts {
		var cited bool
		parts[i], cited = citePart(part, titles)
		found = found || cited
	}
	if !found {
		return raw
	}
	message["content"] = encode(parts)
	return encode(message)
}

func citePart(raw json.RawMessage, titles map[string]string) (json.RawMessage, bool) {
	var part map[string]json.RawMessage
	var kind, text string
	if json.Unmarshal(raw, &part) != nil || json.Unmarshal(part["type"], &kind) != nil ||
		json.Unmarshal(part["text"], &text) != nil || kind != "output_text" {
		return raw, false
	}
	var all []json.RawMessage
	_ = json.Unmarshal(part["annotations"], &all) // absent, or what it has
	before := len(all)
	for _, c := range citations(text, titles) {
		all = append(all, encode(c))
	}
	if len(all) == before {
		return raw, false
	}
	part["annotations"] = encode(all)
	return encode(part), true
}

// maxCitations bounds the citations of one text.
const maxCitations = 200

// citations finds the addresses in a text that are keys of titles.
func citations(text string, titles map[string]string) []citation {
	var all []citation
	at, counted, chars := 0, 0, 0
	for len(all) < maxCitations {
		next := nextAddress(text, at)
		if next < 0 {
			break
		}
		end := next + addressLength(text[next:])
		at = max(end, next+1)
		known, address := lookUp(text[next:end], titles)
		if !known {
			continue
		}
		start, stop := span(text, next, next+len(address))
		if start < counted { // it lies in the link before it
			continue
		}
		chars += utf8.RuneCountInString(text[counted:start])
		length := utf8.RuneCountInString(text[start:stop])
		all = append(all, citation{"url_citation", canonical(address, titles), title(address, titles), chars, chars + length})
		chars += length
		counted, at = stop, max(at, stop)
	}
	return all
}

func nextAddress(text string, from int) int {
	for from < len(text) {
		i := strings.Index(text[from:], "http")
		if i < 0 {
			return -1
		}
		from += i
		if strings.HasPrefix(text[from:], "http://") || strings.HasPrefix(text[from:], "https://") {
			return from
		}
		from += len("http")
	}
	return -1
}

// addressLength is how far an address reaches: to a space, a quote, an angle
// bracket, or a closing bracket that it has not opened.
func addressLength(text string) int {
	open := 0
	for i, r := range text {
		switch r {
		case ' ', '\t', '\n', '\r', '"', '<', '>', '`', '\u00a0', '|', ']':
			return i
		case '(':
			open++
		case ')':
			if open--; open < 0 {
				return i
			}
		}
	}
	return len(text)
}

// lookUp finds the address in titles, without the punctuation that may follow
// it.
func lookUp(address string, titles map[string]string) (bool, string) {
	for {
		if _, ok := titles[canonical(address, titles)]; ok {
			return true, address
		}
		r, size := utf8.DecodeLastRuneInString(address)
		if !slices.Contains([]rune(`.,;:!?*_'"’”)]}。，`), r) {
			return false, address
		}
		address = address[:len(address)-size]
	}
}

// canonical is the address as titles has it: with or without a slash at its
// end.
func canonical(address string, titles map[string]string) string {
	if _, ok := titles[address]; ok {
		return address
	}
	if bare := strings.TrimSuffix(address, "/"); bare != address {
		return bare
	}
	return address + "/"
}

func title(address string, titles map[string]string) string {
	if t := titles[canonical(address, titles)]; t != "" {
		return t
	}
	return address
}

// span widens an address to the whole of the Markdown link that it is in.
func span(text string, start, end int) (int, int) {
	if !strings.HasSuffix(text[:start], "](") || end >= len(text) || text[end] != ')' {
		return start, end
	}
	if open := strings.LastIndexByte(text[:start-2], '['); open >= 0 && !strings.Contains(text[open:start-2], "\n") {
		return open, end + 1
	}
	return start, end
}
