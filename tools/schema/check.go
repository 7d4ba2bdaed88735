package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Check lists what is wrong with the arguments, in an order that is always the
// same; nothing when they fit. Arguments that are no JSON are one issue at the
// root, and what would take more than about a second is one at the value that it
// was too much for.
func (s *Schema) Check(args json.RawMessage) Issues {
	return s.CheckWithin(NewBudget(context.Background()), args)
}

// CheckWithin is Check on a budget. When the budget's context ends, what it
// returns says nothing about the arguments.
func (s *Schema) CheckWithin(b *Budget, args json.RawMessage) Issues {
	value, err := decode(args, maxArgumentDepth)
	if err != nil {
		return Issues{{"", "cannot be read as JSON: " + shorten(err.Error(), 200)}}
	}
	if at := wildPath(value, nil); at != nil {
		return Issues{{pathOf(at, value), "is a number that is out of range"}}
	}
	m := newMeter(s, b)
	var invalid error
	late, err := s.engine.within(b, func() {
		m.take(time.Duration(len(args)) * costOfDecoded)
		if m.visit(s.root, value, 0); !m.spent {
			invalid = s.root.Validate(value)
		}
	})
	m.settle()
	var faults *jsonschema.ValidationError
	switch {
	case err != nil:
		return Issues{{"", "cannot be checked: " + err.Error()}}
	case m.spent:
		return m.issue(value)
	case late != "":
		return tooLate(late, invalid, value)
	case !errors.As(invalid, &faults):
		return nil
	}
	return issuesOf(faults, value)
}

// tooLate is the issue of a pattern that could not be matched in time, at the
// value that it was matched against where the validation tells which that is.
func tooLate(pattern string, invalid error, value any) Issues {
	issue := Issue{Message: "cannot be checked: the pattern " + shorten(pattern, 100) + " takes too long"}
	var faults *jsonschema.ValidationError
	if errors.As(invalid, &faults) {
		var first *leaf
		collect(faults, func(l leaf) {
			if k, ok := l.kind.(*kind.Pattern); ok && k.Want == pattern && (first == nil || l.compare(*first) < 0) {
				first = &l
			}
		})
		if first != nil {
			issue.Path = pathOf(first.at, value)
		}
	}
	return Issues{issue}
}

// maxDescribed is how many issues are described: writing out more would take
// long, and nobody reads them. The others are counted.
const maxDescribed = 100

// issuesOf flattens the tree of a validation error. The library walks maps, so
// its own order changes from one time to the next.
func issuesOf(faults *jsonschema.ValidationError, value any) Issues {
	var first firstLeaves
	collect(faults, first.add)
	first.trim()
	issues := make(Issues, first.count)
	for i, l := range first.kept {
		issues[i] = Issue{Path: pathOf(l.at, value), Message: l.message()}
	}
	return issues
}

// firstLeaves keeps the maxDescribed leaves that come first, and counts all but
// those that repeat one of them.
type firstLeaves struct {
	kept  []leaf
	count int
	// full is true when the last of kept is the last that counts.
	full bool
}

func (f *firstLeaves) add(l leaf) {
	f.count++
	if f.full && l.compare(f.kept[maxDescribed-1]) > 0 {
		return
	}
	if f.kept = append(f.kept, l); len(f.kept) == 3*maxDescribed {
		f.trim()
	}
}

func (f *firstLeaves) trim() {
	slices.SortStableFunc(f.kept, leaf.compare)
	before := len(f.kept)
	f.kept = slices.CompactFunc(f.kept, func(a, b leaf) bool { return a.compare(b) == 0 })
	f.count -= before - len(f.kept)
	f.kept = f.kept[:min(len(f.kept), maxDescribed)]
	f.full = len(f.kept) == maxDescribed
}

// leaf is one fault before its path and its text are written out.
type leaf struct {
	at      []string
	message func() string
	kind    jsonschema.ErrorKind
}

func (l leaf) compare(other leaf) int {
	if c := slices.CompareFunc(l.at, other.at, compareSteps); c != 0 {
		return c
	}
	return strings.Compare(l.message(), other.message())
}

// compareSteps puts item 2 before item 10.
func compareSteps(a, b string) int {
	if a == b {
		return 0
	}
	n, isIndex := index(a)
	if m, ok := index(b); ok && isIndex && n != m {
		return n - m
	}
	return strings.Compare(a, b)
}

// index reads the place of an item.
func index(step string) (int, bool) {
	if len(step) > 9 || strings.ContainsFunc(step, func(r rune) bool { return r < '0' || r > '9' }) {
		return 0, false
	}
	n, err := strconv.Atoi(step)
	return n, err == nil
}

// text is a message that is known already.
func text(message string) func() string { return func() string { return message } }

func collect(e *jsonschema.ValidationError, add func(leaf)) {
	at := e.InstanceLocation
	one := func(name string, message func() string) {
		add(leaf{append(slices.Clone(at), name), message, e.ErrorKind})
	}
	all := func(names []string, message func() string) {
		for _, name := range names {
			one(name, message)
		}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			collect(cause, add)
		}
	case *kind.AnyOf:
		nearest(e, add)
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			add(leaf{at, text("fits more than one of the forms that exclude each other"), k})
			return
		}
		nearest(e, add)
	case *kind.Required:
		all(k.Missing, text("is required, but missing"))
	case *kind.DependentRequired:
		all(k.Missing, text(fmt.Sprintf("is required when %q is given", k.Prop)))
	case *kind.Dependency:
		all(k.Missing, text(fmt.Sprintf("is required when %q is given", k.Prop)))
	case *kind.AdditionalProperties:
		all(k.Properties, text("is not a property that the schema knows"))
	case *kind.PropertyNames:
		// The library reuses the memory of this location, so that it may name
		// a sibling; the property is all that can be relied on.
		add(leaf{[]string{k.Property}, func() string { return "is not a valid property name" + reason(e) }, k})
	default:
		add(leaf{at, func() string { return phrase(k) }, k})
	}
}

// reason is what the first cause of e complains about.
func reason(e *jsonschema.ValidationError) string {
	var first *leaf
	for _, cause := range e.Causes {
		collect(cause, func(l leaf) {
			if first == nil || l.compare(*first) < 0 {
				first = &l
			}
		})
	}
	if first == nil {
		return ""
	}
	return ": " + first.message()
}

// nearest picks what to say about a value that fits no member of a union. If
// no member got past the value itself, all are named together; else the member
// that complains least is likely the one that was meant.
func nearest(e *jsonschema.ValidationError, add func(leaf)) {
	var shallow, best []leaf
	for _, cause := range e.Causes {
		var branch []leaf
		collect(cause, func(l leaf) { branch = append(branch, l) })
		if len(branch) == 1 && len(branch[0].at) <= len(e.InstanceLocation) {
			shallow = append(shallow, branch[0])
		} else if best == nil || len(branch) < len(best) {
			best = branch
		}
	}
	for _, l := range best {
		add(l)
	}
	if best == nil {
		add(leaf{e.InstanceLocation, func() string { return together(shallow) }, e.ErrorKind})
	}
}

// together says in one sentence what several members of a union want.
func together(all []leaf) string {
	var types []string
	var values []any
	var others []string
	got := ""
	for _, l := range all {
		switch k := l.kind.(type) {
		case *kind.Type:
			types, got = append(types, k.Want...), k.Got
		case *kind.Const:
			values = append(values, k.Want)
		case *kind.Enum:
			values = append(values, k.Want...)
		default:
			if len(others) <= maxWritten {
				others = append(others, l.message())
			}
		}
	}
	if most := maxWritten; len(others) > most {
		others = append(others[:most], "…")
	}
	if len(values) > 0 {
		others = append([]string{oneOf(values)}, others...)
	}
	if len(types) > 0 {
		others = append([]string{wrongType(types, got)}, others...)
	}
	return joinOr(others)
}
