package rawjson

import "encoding/json"

// StringBuilder joins a JSON string that arrives in pieces. They are joined as
// they are written, escapes and all: servers part a text inside of a character,
// between the halves of a surrogate pair or the bytes of UTF-8, and each piece
// for itself would lose it. The zero value is the empty string.
type StringBuilder struct {
	written []byte
}

// Add appends a piece. A number is taken for its text, anything else but a
// string for nothing.
func (b *StringBuilder) Add(piece json.RawMessage) {
	if IsNull(piece) {
		return
	}
	if !IsString(piece) {
		piece = Encode(Text(piece))
	}
	b.written = append(b.written, piece[1:len(piece)-1]...)
}

// Replace replaces all pieces by a whole string, if that is one.
func (b *StringBuilder) Replace(whole json.RawMessage) {
	if IsString(whole) {
		b.written = nil
		b.Add(whole)
	}
}

// IsEmpty tells whether no character has come.
func (b *StringBuilder) IsEmpty() bool { return len(b.written) == 0 }

// Encode is the whole string as JSON.
func (b *StringBuilder) Encode() json.RawMessage {
	return append(append([]byte{'"'}, b.written...), '"')
}

// Text is the whole string.
func (b *StringBuilder) Text() string { return Text(b.Encode()) }
