package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// maxSteps bounds the work of one check or coercion: about a second. A
	// schema of a few hundred bytes can ask for 2^n steps, the library has no
	// limit, and a validation cannot be interrupted.
	maxSteps = 1_000_000
	// maxInPlace bounds how many schemas in a row look at one and the same
	// value; more than that refer to themselves.
	maxInPlace = 500
)

// meter counts the steps that a validation would take, by walking as it would
// without computing anything, and stops when there are too many.
type meter struct {
	schema *Schema
	left   int
}

func (m *meter) visit(s *jsonschema.Schema, v any, inPlace int) {
	m.left--
	if m.left < 0 || s.Bool != nil {
		return
	}
	if inPlace > maxInPlace {
		m.left = -1
		return
	}
	if !fitsType(s, v) {
		return // as the validator does
	}
	if s.Enum != nil {
		m.left -= len(s.Enum.Values)
	}
	for _, same := range m.inPlace(s, v) {
		m.visit(same, v, inPlace+1)
	}
	switch v := v.(type) {
	case map[string]any:
		m.object(s, v)
	case []any:
		m.array(s, v)
	}
}

func (m *meter) object(s *jsonschema.Schema, object map[string]any) {
	for key, member := range object {
		if m.left < 0 {
			return
		}
		m.left -= len(s.PatternProperties)
		for _, sub := range propertySchemas(s, key) {
			m.visit(sub, member, 0)
		}
		if s.UnevaluatedProperties != nil {
			m.visit(s.UnevaluatedProperties, member, 0)
		}
		if s.PropertyNames != nil {
			m.visit(s.PropertyNames, key, 0)
		}
	}
}

func (m *meter) array(s *jsonschema.Schema, array []any) {
	for i, item := range array {
		if m.left < 0 {
			return
		}
		for _, sub := range []*jsonschema.Schema{itemSchema(s, i), s.Contains, s.UnevaluatedItems} {
			if sub != nil {
				m.visit(sub, item, 0)
			}
		}
	}
}

// inPlace lists the schemas that look at the same value as s.
func (m *meter) inPlace(s *jsonschema.Schema, v any) []*jsonschema.Schema {
	all := references(s)
	if s.RecursiveRef != nil {
		all = append(all, m.schema.root)
	}
	if s.DynamicRef != nil {
		for _, target := range m.schema.dynamic {
			if target.DynamicAnchor == s.DynamicRef.Anchor {
				all = append(all, target)
			}
		}
	}
	for _, one := range []*jsonschema.Schema{s.Not, s.If, s.Then, s.Else} {
		if one != nil {
			all = append(all, one)
		}
	}
	all = append(all, s.AllOf...)
	all = append(all, s.AnyOf...)
	all = append(all, s.OneOf...)
	object, _ := v.(map[string]any)
	for key, dependent := range s.DependentSchemas {
		if _, ok := object[key]; ok {
			all = append(all, dependent)
		}
	}
	for key, dependent := range s.Dependencies {
		sub, isSchema := dependent.(*jsonschema.Schema)
		if _, ok := object[key]; ok && isSchema {
			all = append(all, sub)
		}
	}
	return all
}

// references lists what s refers to, as far as that is fixed.
func references(s *jsonschema.Schema) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	if s.Ref != nil {
		all = append(all, s.Ref)
	}
	if s.RecursiveRef != nil {
		all = append(all, s.RecursiveRef)
	}
	if s.DynamicRef != nil && s.DynamicRef.Ref != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	return all
}

// propertySchemas lists the schemas that apply to one property of an object.
func propertySchemas(s *jsonschema.Schema, key string) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	if sub, ok := s.Properties[key]; ok {
		all = append(all, sub)
	}
	for pattern, sub := range s.PatternProperties {
		if pattern.MatchString(key) {
			all = append(all, sub)
		}
	}
	if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && len(all) == 0 {
		all = append(all, sub)
	}
	return all
}

// itemSchema is the schema that applies to one item of an array, or nil. The
// drafts before 2020-12 spell it differently.
func itemSchema(s *jsonschema.Schema, i int) *jsonschema.Schema {
	if i < len(s.PrefixItems) {
		return s.PrefixItems[i]
	}
	if s.Items2020 != nil {
		return s.Items2020
	}
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		return items
	case []*jsonschema.Schema:
		if i < len(items) {
			return items[i]
		}
		rest, _ := s.AdditionalItems.(*jsonschema.Schema)
		return rest
	}
	return nil
}

// fitsType tells whether v is of a type that s allows.
func fitsType(s *jsonschema.Schema, v any) bool {
	if s.Types == nil || s.Types.IsEmpty() {
		return true
	}
	kind := typeOf(v)
	for _, want := range s.Types.ToStrings() {
		if want == kind || want == "integer" && isInteger(v) {
			return true
		}
	}
	return false
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// wildPath finds a number that is out of range, as a path, or returns nil.
func wildPath(v any, path []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if found := wildPath(v[key], append(path, key)); found != nil {
				return found
			}
		}
	case []any:
		for i, item := range v {
			if found := wildPath(item, append(path, strconv.Itoa(i))); found != nil {
				return found
			}
		}
	case json.Number:
		if wildNumber(v) {
			return append([]string{}, path...) // never nil, also at the root
		}
	}
	return nil
}
