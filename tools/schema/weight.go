package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxInPlace bounds how many schemas in a row look at one and the same value;
// more than that refer to themselves.
const maxInPlace = 500

// visitsBetween is how many visits are made before the context is asked.
const visitsBetween = 256

// meter adds up what a validation would cost, by walking as it would without
// computing anything, and stops when that is more than there is.
type meter struct {
	schema *Schema
	budget *Budget
	// left is what is left for this check, and visits how many it made.
	left   time.Duration
	visits int
	// path leads to the value that is looked at.
	path []string
	// spent is true when the budget did not suffice, refused leads to the value
	// where that was, and reason says why, if it is known.
	spent   bool
	refused []string
	reason  string
}

func newMeter(s *Schema, b *Budget) meter {
	return meter{schema: s, budget: b, left: b.left}
}

// settle pays for what was done: for the whole estimate, or where it was refused
// for the walk alone.
func (m *meter) settle() {
	if m.spent {
		m.left = m.budget.left - min(m.budget.left, time.Duration(m.visits)*costOfVisit)
	}
	m.budget.left = m.left
}

// take pays for something that is about to be done, and tells whether it may.
func (m *meter) take(cost time.Duration) bool {
	if m.left < 0 {
		return false
	}
	if m.left -= cost; m.left < 0 {
		m.spent, m.refused = true, slices.Clone(m.path)
	}
	return !m.spent
}

// match pays for matching a pattern, and tells whether it may be done.
func (m *meter) match(pattern jsonschema.Regexp, text string) bool {
	if m.take(matchCost(pattern, text)) {
		return true
	}
	if m.reason == "" {
		m.reason = fmt.Sprintf("a text of %d bytes, against the pattern %s", len(text), shorten(pattern.String(), 100))
	}
	return false
}

// enter pays for one more schema that looks at a value.
func (m *meter) enter(inPlace int) bool {
	if m.visits++; m.visits%visitsBetween == 0 && m.budget.ctx.Err() != nil || inPlace > maxInPlace {
		m.take(m.left + 1)
		return false
	}
	return m.take(costOfVisit + time.Duration(len(m.path))*costOfLevel + time.Duration(inPlace)*costOfScope)
}

// below does something with a member of the value that is looked at.
func (m *meter) below(step string, do func()) {
	m.path = append(m.path, step)
	do()
	m.path = m.path[:len(m.path)-1]
}

func (m *meter) visit(s *jsonschema.Schema, v any, inPlace int) {
	if s.Bool != nil {
		m.take(costOfIssue)
		return
	}
	if !m.enter(inPlace) || !m.fitsType(s, v) {
		return // as the validator does
	}
	m.values(s, v)
	for _, same := range m.inPlace(s, v) {
		if m.left < 0 {
			return
		}
		m.visit(same, v, inPlace+1)
	}
	switch v := v.(type) {
	case map[string]any:
		m.object(s, v)
	case []any:
		m.array(s, v)
	case string:
		m.text(s, v)
	case json.Number:
		m.number(s, v)
	}
}

// fitsType is fitsType, paid for.
func (m *meter) fitsType(s *jsonschema.Schema, v any) bool {
	number, ok := v.(json.Number)
	if ok && s.Types != nil && !s.Types.IsEmpty() && !m.take(numberCost(len(number))) {
		return false
	}
	return fitsType(s, v)
}

// values pays for const and enum: the value is compared with each of theirs.
func (m *meter) values(s *jsonschema.Schema, v any) {
	var all []any
	if s.Const != nil {
		all = append(all, *s.Const)
	}
	if s.Enum != nil {
		all = append(all, s.Enum.Values...)
	}
	for _, one := range all {
		cost := weigh(one, m.left)
		if number, ok := v.(json.Number); ok {
			cost += numberCost(len(number))
		}
		if !m.take(cost) {
			return
		}
	}
}

func (m *meter) text(s *jsonschema.Schema, text string) {
	if s.Format != nil {
		cost := time.Duration(len(text)) * costOfFormat
		if s.Format.Name == "regex" {
			cost += costOfInstruction * maxProgram
		}
		m.take(cost)
	}
	if s.MinLength != nil || s.MaxLength != nil {
		m.take(4 * perByte(len(text)))
	}
	if s.Pattern != nil {
		m.match(s.Pattern, text)
	}
}

func (m *meter) number(s *jsonschema.Schema, number json.Number) {
	if s.MultipleOf != nil {
		m.take(4 * numberCost(len(number)+s.MultipleOf.Num().BitLen()/3+s.MultipleOf.Denom().BitLen()/3))
	}
	for _, limit := range []*big.Rat{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum} {
		if limit != nil {
			m.take(2 * numberCost(len(number)+limit.Num().BitLen()/3+limit.Denom().BitLen()/3))
		}
	}
}

func (m *meter) object(s *jsonschema.Schema, object map[string]any) {
	// The validator walks over the keys, whether or not anything is asked of them.
	m.take(time.Duration(len(object)) * costOfKey)
	if m.schema.unevaluated {
		m.take(time.Duration(len(object)) * costOfEvaluated)
	}
	m.required(s.Required)
	for key, names := range s.DependentRequired {
		m.dependent(object, key, names)
	}
	for key, dependent := range s.Dependencies {
		names, _ := dependent.([]string)
		m.dependent(object, key, names)
	}
	if closed, ok := s.AdditionalProperties.(bool); ok && !closed {
		m.take(time.Duration(len(object)) * (costOfIssue + time.Duration(len(m.path))*costOfLevel))
	}
	if !asksForKeys(s) {
		return
	}
	for key, member := range object {
		if !m.take(costOfKey + perByte(len(key))) {
			return
		}
		m.below(key, func() {
			for _, sub := range m.propertySchemas(s, key) {
				m.visit(sub, member, 0)
			}
			if s.UnevaluatedProperties != nil {
				m.visit(s.UnevaluatedProperties, member, 0)
			}
			if s.PropertyNames != nil {
				m.visit(s.PropertyNames, key, 0)
			}
		})
	}
}

func (m *meter) required(names []string) {
	for _, name := range names {
		if !m.take(costOfIssue + perByte(len(name)) + time.Duration(len(m.path))*costOfLevel) {
			return
		}
	}
}

func (m *meter) dependent(object map[string]any, key string, names []string) {
	if m.take(costOfKey + perByte(len(key))); len(names) > 0 {
		if _, ok := object[key]; ok {
			m.required(names)
		}
	}
}

// asksForKeys tells whether s says anything about single properties.
func asksForKeys(s *jsonschema.Schema) bool {
	_, additional := s.AdditionalProperties.(*jsonschema.Schema)
	return additional || len(s.Properties)+len(s.PatternProperties) > 0 || s.UnevaluatedProperties != nil || s.PropertyNames != nil
}

func (m *meter) array(s *jsonschema.Schema, array []any) {
	m.take(time.Duration(len(array)) * costOfKey / 4)
	if m.schema.unevaluated {
		m.take(time.Duration(len(array)) * costOfEvaluated)
	}
	if s.UniqueItems {
		// Few items are compared with each other, many are hashed.
		m.take(20 * weigh(array, m.left))
	}
	for i, item := range array {
		if m.left < 0 {
			return
		}
		for _, sub := range []*jsonschema.Schema{itemSchema(s, i), s.Contains, s.UnevaluatedItems} {
			if sub != nil {
				m.below(strconv.Itoa(i), func() { m.visit(sub, item, 0) })
			}
		}
	}
}

// issue says what could not be checked.
func (m *meter) issue(value any) Issues {
	text := "cannot be checked: the arguments are too large, or their schema branches too often or refers to itself"
	if m.reason != "" {
		text = "cannot be checked, because it would take too long: " + m.reason
	}
	return Issues{{pathOf(m.refused, value), text}}
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

// propertySchemas lists the schemas that apply to one property of an object. It
// pays for the patterns.
func (m *meter) propertySchemas(s *jsonschema.Schema, key string) []*jsonschema.Schema {
	var all []*jsonschema.Schema
	if sub, ok := s.Properties[key]; ok {
		all = append(all, sub)
	}
	for pattern, sub := range s.PatternProperties {
		for range 2 { // here, and in the validation
			if !m.match(pattern, key) {
				return nil
			}
		}
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
