package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Check lists what is wrong with the arguments, in an order that is always the
// same; nothing when they fit. Arguments that are no JSON are one issue at the
// root.
func (s *Schema) Check(args json.RawMessage) Issues {
	value, err := decode(args, maxArgumentDepth)
	if err != nil {
		return Issues{{"", "cannot be read as JSON: " + shorten(err.Error(), 200)}}
	}
	if at := wildPath(value, nil); at != nil {
		return Issues{{pathOf(at, value), "is a number that is out of range"}}
	}
	m := &meter{s, maxSteps}
	if m.visit(s.root, value, 0); m.left < 0 {
		return Issues{{"", "cannot be checked: the arguments are too large, or their schema branches too often or refers to itself"}}
	}
	var faults *jsonschema.ValidationError
	if !errors.As(s.root.Validate(value), &faults) {
		return nil
	}
	return issuesOf(faults, value)
}

// issuesOf flattens the tree of a validation error. The library walks maps, so
// its own order changes from one time to the next.
func issuesOf(faults *jsonschema.ValidationError, value any) Issues {
	var all []leaf
	collect(faults, &all)
	slices.SortFunc(all, leaf.compare)
	issues := make(Issues, 0, len(all))
	for _, l := range all {
		issue := Issue{Path: pathOf(l.at, value), Message: l.message}
		if len(issues) == 0 || issues[len(issues)-1] != issue {
			issues = append(issues, issue)
		}
	}
	return issues
}

// leaf is one fault before its path is written out.
type leaf struct {
	at      []string
	message string
	kind    jsonschema.ErrorKind
}

func (l leaf) compare(other leaf) int {
	if c := slices.CompareFunc(l.at, other.at, compareSteps); c != 0 {
		return c
	}
	return compareSteps(l.message, other.message)
}

// compareSteps puts item 2 before item 10.
func compareSteps(a, b string) int {
	n, errA := strconv.Atoi(a)
	m, errB := strconv.Atoi(b)
	switch {
	case errA == nil && errB == nil && n != m:
		return n - m
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func collect(e *jsonschema.ValidationError, into *[]leaf) {
	at := e.InstanceLocation
	one := func(name, message string) {
		*into = append(*into, leaf{append(slices.Clone(at), name), message, e.ErrorKind})
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range e.Causes {
			collect(cause, into)
		}
	case *kind.AnyOf:
		*into = append(*into, nearest(e)...)
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			*into = append(*into, leaf{at, "fits more than one of the forms that exclude each other", k})
			return
		}
		*into = append(*into, nearest(e)...)
	case *kind.Required:
		for _, name := range k.Missing {
			one(name, "is required, but missing")
		}
	case *kind.DependentRequired:
		for _, name := range k.Missing {
			one(name, fmt.Sprintf("is required when %q is given", k.Prop))
		}
	case *kind.Dependency:
		for _, name := range k.Missing {
			one(name, fmt.Sprintf("is required when %q is given", k.Prop))
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			one(name, "is not a property that the schema knows")
		}
	case *kind.PropertyNames:
		// The library reuses the memory of this location, so that it may name
		// a sibling; the property is all that can be relied on.
		*into = append(*into, leaf{[]string{k.Property}, "is not a valid property name" + reason(e), k})
	default:
		*into = append(*into, leaf{at, phrase(k), k})
	}
}

// reason is what the first cause of e complains about.
func reason(e *jsonschema.ValidationError) string {
	var all []leaf
	for _, cause := range e.Causes {
		collect(cause, &all)
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + slices.MinFunc(all, leaf.compare).message
}

// nearest picks what to say about a value that fits no member of a union. If
// no member got past the value itself, all are named together; else the member
// that complains least is likely the one that was meant.
func nearest(e *jsonschema.ValidationError) []leaf {
	var shallow, best []leaf
	for _, cause := range e.Causes {
		var branch []leaf
		collect(cause, &branch)
		if len(branch) == 1 && len(branch[0].at) <= len(e.InstanceLocation) {
			shallow = append(shallow, branch[0])
		} else if best == nil || len(branch) < len(best) {
			best = branch
		}
	}
	if best != nil {
		return best
	}
	return []leaf{{e.InstanceLocation, together(shallow), e.ErrorKind}}
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
			others = append(others, l.message)
		}
	}
	if len(values) > 0 {
		others = append([]string{oneOf(values)}, others...)
	}
	if len(types) > 0 {
		others = append([]string{wrongType(types, got)}, others...)
	}
	return joinOr(others)
}
