package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Compiling costs about the cube of the nesting and the square of the number
// of subschemas, and the library has no limit of its own. maxWork bounds what
// they come to together.
const (
	maxBytes      = 1 << 20
	maxDepth      = 100
	maxRefs       = 1000
	maxSubschemas = 8000
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
	refs []string
	// anchors are JSON pointers to the objects that have a $dynamicAnchor.
	anchors []string
	// unevaluated is true when the schema asks what was evaluated: then every
	// subschema keeps a list of it.
	unevaluated bool

	// subschemas are about as many as there are objects; pointers is how long
	// the JSON pointers to all of them are together, and resources how many have
	// an id of their own.
	subschemas, pointers, resources int
	// cost is what the rest takes, patterns among it.
	cost time.Duration
	err  error
	path []string
	// length is that of the JSON pointer to path.
	length int
}

// surveyed reads a schema as it was decoded. It stops where a bound is passed.
func surveyed(doc any) (*survey, error) {
	s := &survey{}
	if s.read(doc); s.err != nil {
		return nil, s.err
	}
	s.references(doc)
	// The library looks for every subschema among all others by its pointer, and
	// for the resource of each among all resources.
	n := time.Duration(s.subschemas)
	s.cost += n * (costOfSubschema + n*costOfPair + time.Duration(s.resources)*costOfResource)
	s.cost += n*time.Duration(s.pointers)/10 + time.Duration(s.pointers)*costOfPointer
	s.check()
	return s, s.err
}

const (
	costOfSubschema = 12 * time.Microsecond
	costOfPair      = 12 * time.Nanosecond
	costOfResource  = 30 * time.Nanosecond
	costOfPointer   = 100 * time.Nanosecond
)

// check finds out whether a bound is passed already.
func (s *survey) check() {
	switch {
	case s.err != nil:
	case len(s.refs) > maxRefs:
		s.err = fmt.Errorf("the schema has more than %d references", maxRefs)
	case s.subschemas > maxSubschemas:
		s.err = fmt.Errorf("the schema has more than %d subschemas", maxSubschemas)
	case s.cost > maxWork:
		s.err = fmt.Errorf("the schema would take too long to compile: it has %d subschemas, or names or patterns that are too long", s.subschemas)
	}
}

func (s *survey) read(v any) {
	if s.err != nil {
		return
	}
	s.cost += costOfNode
	switch v := v.(type) {
	case map[string]any:
		s.schema()
		for key, member := range v {
			s.keyword(key, member)
			s.below(key, member)
		}
	case []any:
		for i, member := range v {
			s.below(strconv.Itoa(i), member)
		}
	case bool: // a boolean may be a schema
		s.schema()
	case json.Number:
		if s.cost += numberCost(len(v)); wildNumber(v) {
			s.err = fmt.Errorf("the schema has a number that is out of range: %s", shorten(string(v), 40))
		}
	}
	s.check()
}

func (s *survey) schema() {
	s.subschemas++
	s.pointers += s.length
}

func (s *survey) below(key string, member any) {
	s.path, s.length = append(s.path, key), s.length+len(key)+1
	s.read(member)
	s.path, s.length = s.path[:len(s.path)-1], s.length-len(key)-1
}

// keyword looks at what costs more than its size.
func (s *survey) keyword(key string, member any) {
	switch key {
	case "$ref", "$dynamicRef", "$recursiveRef":
		ref, _ := member.(string)
		s.refs = append(s.refs, ref)
	case "$dynamicAnchor":
		s.anchors = append(s.anchors, s.pointer())
	case "$id", "id":
		s.resources++
	case "unevaluatedProperties", "unevaluatedItems":
		s.unevaluated = true
	case "pattern":
		if pattern, ok := member.(string); ok {
			s.pattern(key, pattern)
		}
	case "patternProperties":
		all, _ := member.(map[string]any)
		for pattern := range all {
			s.pattern(key, pattern)
		}
	}
}

// pattern adds the cost of one, which is paid twice where the metaschema asks
// whether it is one. What RE2 cannot read is bounded by its length.
func (s *survey) pattern(keyword, pattern string) {
	s.check()
	if s.err != nil {
		return
	}
	_, cost, err := programSize(pattern)
	if errors.Is(err, errLarge) {
		s.err = fmt.Errorf("%s: %w: %q", pathOf(append(s.path, keyword), nil), err, shorten(pattern, 100))
	}
	s.cost += 2*cost + time.Duration(len(pattern))*costOfRune
}

// references adds what the targets of references cost: one that is not where
// subschemas are is held against the metaschema with all that is below it.
func (s *survey) references(doc any) {
	known := map[string]bool{}
	for _, ref := range s.refs {
		if known[ref] {
			continue
		}
		known[ref] = true
		target := doc
		if fragment, ok := strings.CutPrefix(ref, "#/"); ok {
			target = lookUp(doc, "/"+fragment)
		}
		s.cost += time.Duration(s.subschemas)*costOfNode + time.Duration(len(ref))*costOfPointer
		s.target(target)
	}
}

func (s *survey) target(v any) {
	if s.check(); s.err != nil {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		s.cost += costOfSubschema
		for _, member := range v {
			s.target(member)
		}
	case []any:
		for _, member := range v {
			s.target(member)
		}
	}
}

func (s *survey) pointer() string {
	var b strings.Builder
	for _, step := range s.path {
		b.WriteByte('/')
		b.WriteString(escapePointer(step))
	}
	return b.String()
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
