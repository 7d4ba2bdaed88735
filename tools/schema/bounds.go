package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Compiling costs about the cube of the nesting and the square of the number
// of subschemas, and the library has no limit of its own.
const (
	maxBytes      = 1 << 20
	maxDepth      = 100
	maxRefs       = 1000
	maxSubschemas = 10_000
)

// maxArgumentDepth bounds how deep arguments may nest. No tool needs a tenth of
// it; the recursion over a value does.
const maxArgumentDepth = 1000

var errTooDeep = errors.New("nested too deeply")

// decode reads exactly one JSON value and keeps numbers as they were written.
func decode(raw []byte, depth int) (any, error) {
	if deeperThan(raw, depth) {
		return nil, fmt.Errorf("%w: more than %d levels", errTooDeep, depth)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("unexpected end of JSON")
		}
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("extra characters after the JSON value")
	}
	return v, nil
}

// deeperThan scans brackets without building anything, so that a bomb costs no
// more than reading it.
func deeperThan(raw []byte, limit int) bool {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// survey is what the bounds need to know about a schema before it is compiled.
type survey struct {
	// refs are the references as written.
	refs       []string
	subschemas int
	// anchors are JSON pointers to the objects that have a $dynamicAnchor.
	anchors []string
	wild    json.Number
}

func (s *survey) read(v any, pointer string) {
	switch v := v.(type) {
	case map[string]any:
		s.subschemas++
		for key, member := range v {
			switch key {
			case "$ref", "$dynamicRef", "$recursiveRef":
				ref, _ := member.(string)
				s.refs = append(s.refs, ref)
			case "$dynamicAnchor":
				s.anchors = append(s.anchors, pointer)
			}
			s.read(member, pointer+"/"+escapePointer(key))
		}
	case []any:
		for i, member := range v {
			s.read(member, pointer+"/"+strconv.Itoa(i))
		}
	case bool: // a boolean may be a schema
		s.subschemas++
	case json.Number:
		if wildNumber(v) {
			s.wild = v
		}
	}
}

func (s *survey) err() error {
	switch {
	case len(s.refs) > maxRefs:
		return fmt.Errorf("the schema has %d references; at most %d are allowed", len(s.refs), maxRefs)
	case s.subschemas > maxSubschemas:
		return fmt.Errorf("the schema has about %d subschemas; at most %d are allowed", s.subschemas, maxSubschemas)
	case s.wild != "":
		return fmt.Errorf("the schema has a number that is out of range: %s", shorten(string(s.wild), 40))
	}
	return nil
}

// wildNumber tells whether a number is too long or too large to compute with.
// Exact arithmetic on 1e1000000 takes a tenth of a second, and the library
// panics on exponents beyond that.
func wildNumber(n json.Number) bool {
	if len(n) > 1000 {
		return true
	}
	at := strings.IndexAny(string(n), "eE")
	if at < 0 {
		return false
	}
	exponent, err := strconv.Atoi(string(n)[at+1:])
	return err != nil || exponent > 400 || exponent < -400
}

func escapePointer(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}
