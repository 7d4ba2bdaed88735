package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// base is the address of every schema. It is absolute and not a file, so that
// neither the working directory nor a disk comes into anything.
const base = "errand:///schema"

// Schema is a compiled JSON Schema. It is safe for concurrent use.
type Schema struct {
	root *jsonschema.Schema
	// doc is the document as written: it alone knows the order of a type union.
	doc any
	// dynamic are the schemas that a $dynamicRef may lead to.
	dynamic []*jsonschema.Schema
	engine  *engine
	// orders are the types of schemas in the order in which doc has them.
	orders sync.Map
	// unevaluated is true when validations keep lists of what was evaluated.
	unevaluated bool
}

// Compile reads a schema. Blank, null and {} accept any object. A reference to
// a file or the network, a document over the bounds, and a schema that is no
// schema are errors that say what to change.
func Compile(raw json.RawMessage) (*Schema, error) {
	return compileWithin(NewBudget(context.Background()), raw)
}

// compileWithin is Compile on a budget. An error that is ErrSpent, or that of
// the budget's context, says nothing about the schema.
func compileWithin(b *Budget, raw json.RawMessage) (*Schema, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if len(raw) > maxBytes {
		return nil, fmt.Errorf("the schema has %d bytes; at most %d are allowed", len(raw), maxBytes)
	}
	if err := b.spend(time.Duration(len(raw)) * costOfDecoded); err != nil {
		return nil, err
	}
	doc, err := decode(raw, maxDepth)
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	switch d := doc.(type) {
	case bool:
	case map[string]any:
		if len(d) == 0 {
			doc = map[string]any{"type": "object"}
		}
	default:
		return nil, errors.New("the schema must be a JSON object")
	}
	found, err := surveyed(doc)
	if err != nil {
		return nil, err
	}
	if err := b.spend(found.cost); err != nil {
		return nil, err
	}
	return compile(doc, found)
}

func compile(doc any, found *survey) (s *Schema, err error) {
	defer func() {
		// A stranger's document must not be able to end the worker.
		if fault := recover(); fault != nil {
			s, err = nil, fmt.Errorf("the schema cannot be compiled: %v", fault)
		}
	}()
	// A compiler is not safe for concurrent use, and schemas that share an $id
	// must not meet: each gets its own.
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	patterns := newEngine()
	c.UseRegexpEngine(patterns.compile)
	if err := c.AddResource(base, doc); err != nil {
		return nil, explain(err, doc, found.refs)
	}
	root, err := c.Compile(base)
	if err != nil {
		return nil, explain(err, doc, found.refs)
	}
	patterns.sealed = true
	s = &Schema{root: root, doc: doc, engine: patterns, unevaluated: found.unevaluated}
	for _, pointer := range found.anchors {
		// What stands in an enum or a default looks like a schema, and is none.
		if target, err := c.Compile(base + "#" + escapeFragment(pointer)); err == nil {
			s.dynamic = append(s.dynamic, target)
		}
	}
	return s, nil
}

// noLoader refuses what is not in the document. The metaschemas never get here:
// the library has them built in.
type noLoader struct{}

var errOutside = errors.New("outside the document")

func (noLoader) Load(string) (any, error) { return nil, errOutside }

// explain puts a compile error into words that name what is in the document.
func explain(err error, doc any, refs []string) error {
	var (
		load    *jsonschema.LoadURLError
		pointer *jsonschema.JSONPointerNotFoundError
		anchor  *jsonschema.AnchorNotFoundError
		pattern *jsonschema.InvalidRegexError
		invalid *jsonschema.SchemaValidationError
		faults  *jsonschema.ValidationError
	)
	switch {
	case errors.As(err, &load):
		if dialect := dialectOf(doc); strings.TrimSuffix(dialect, "#") == load.URL {
			return fmt.Errorf("unsupported dialect in $schema: %q", dialect)
		}
		return fmt.Errorf("the schema refers to %q, which is outside of it; only references within the schema are allowed", asWritten(load.URL, refs))
	case errors.As(err, &pointer):
		return fmt.Errorf("the schema refers to %q, which does not exist in it", inDocument(pointer.URL))
	case errors.As(err, &anchor):
		return fmt.Errorf("the schema refers to %q, which does not exist in it", inDocument(anchor.Reference))
	case errors.As(err, &pattern):
		return fmt.Errorf("the schema has a pattern that cannot be read: %q", shorten(pattern.Regex, 200))
	case errors.As(err, &invalid) && errors.As(invalid.Err, &faults):
		return fmt.Errorf("not a valid JSON Schema: %s", issuesOf(faults, doc).line(5))
	}
	return errors.New(strings.ReplaceAll(err.Error(), base, ""))
}

func dialectOf(doc any) string {
	object, _ := doc.(map[string]any)
	dialect, _ := object["$schema"].(string)
	return dialect
}

// asWritten finds the reference that leads to address. A relative one would
// not be known by the address that it was resolved to.
func asWritten(address string, refs []string) string {
	from, err := url.Parse(base)
	if err != nil {
		return address
	}
	for _, ref := range refs {
		to, err := from.Parse(ref)
		if err != nil {
			continue
		}
		if to.Fragment, to.RawFragment = "", ""; to.String() == address {
			return ref
		}
	}
	return address
}

// inDocument takes away the address that Compile gave to the document, and the
// escapes of a fragment.
func inDocument(ref string) string {
	ref = strings.TrimPrefix(ref, base)
	if plain, err := url.PathUnescape(ref); err == nil {
		return plain
	}
	return ref
}

// escapeFragment makes a JSON pointer fit for a URL.
func escapeFragment(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return strings.Join(parts, "/")
}
