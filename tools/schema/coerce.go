package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Coerce turns scalars into the type that the schema asks for where no meaning
// is lost, such as "5" into 5, and decodes JSON text that stands for an object
// or an array, once. It works on a copy, never judges, and reports whether
// anything changed; if not, the very bytes of args come back.
//
// Properties, items, $ref and allOf are followed. The members of a union are
// tried in order, and a value that fits one of them stays as it is. Null
// becomes 0, "" or false, but only where null is not allowed.
func (s *Schema) Coerce(args json.RawMessage) (json.RawMessage, bool) {
	return s.CoerceWithin(NewBudget(context.Background()), args)
}

// CoerceWithin is Coerce on a budget. What that has no room for stays as it is.
func (s *Schema) CoerceWithin(b *Budget, args json.RawMessage) (json.RawMessage, bool) {
	value, err := decode(args, maxArgumentDepth)
	if err != nil || wildPath(value, nil) != nil {
		return args, false
	}
	c := &coercer{newMeter(s, b)}
	changed := false
	late, err := s.engine.within(b, func() {
		c.take(time.Duration(len(args)) * costOfDecoded)
		value, changed = c.value(s.root, value, 0)
	})
	c.settle()
	if err != nil || !changed || c.spent || late != "" {
		return args, false
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return args, false
	}
	return bytes.TrimSpace(out.Bytes()), true
}

// coercer copies what it changes: a value it was given stays as it was, so that
// a union can try one member after the other.
type coercer struct{ meter }

func (c *coercer) value(s *jsonschema.Schema, v any, inPlace int) (any, bool) {
	if s.Bool != nil || !c.enter(inPlace) {
		return v, false
	}
	v, changed := c.own(s, v)
	apply := func(result any, did bool) { v, changed = result, changed || did }
	for _, same := range references(s) {
		apply(c.value(same, v, inPlace+1))
	}
	for _, same := range s.AllOf {
		apply(c.value(same, v, inPlace+1))
	}
	switch part := v.(type) {
	case map[string]any:
		apply(c.object(s, part))
	case []any:
		apply(c.array(s, part))
	}
	apply(c.union(s.AnyOf, v, inPlace))
	apply(c.union(s.OneOf, v, inPlace))
	return v, changed
}

// own applies the type keyword of s itself.
func (c *coercer) own(s *jsonschema.Schema, v any) (any, bool) {
	if c.fitsType(s, v) || c.spent {
		return v, false
	}
	for _, want := range c.order(s) {
		if text, ok := v.(string); ok && !c.take(costOfReading+time.Duration(len(text))*costOfDecoded) {
			return v, false
		}
		if result, ok := convert(v, want); ok {
			return result, true
		}
	}
	return v, false
}

// order lists the types of s as the document has them. The compiled schema
// keeps them as a set.
func (c *coercer) order(s *jsonschema.Schema) []string {
	types := s.Types.ToStrings()
	if len(types) < 2 {
		return types
	}
	if known, ok := c.schema.orders.Load(s); ok {
		return known.([]string) //nolint:forcetypeassert // it holds nothing else
	}
	if pointer, ok := strings.CutPrefix(s.Location, base+"#"); ok { // else it is in a metaschema
		object, _ := lookUp(c.schema.doc, pointer).(map[string]any)
		listed, _ := object["type"].([]any)
		types = make([]string, 0, len(listed))
		for _, one := range listed {
			if name, ok := one.(string); ok {
				types = append(types, name)
			}
		}
	}
	c.schema.orders.Store(s, types)
	return types
}

func (c *coercer) object(s *jsonschema.Schema, object map[string]any) (any, bool) {
	// They are sorted, and copied if one is changed.
	if !asksForKeys(s) || !c.take(time.Duration(len(object))*5*costOfKey) {
		return object, false
	}
	var result map[string]any
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !c.take(costOfKey + perByte(len(key))) {
			return object, false
		}
		member, changed := object[key], false
		c.below(key, func() {
			for _, sub := range c.propertySchemas(s, key) {
				next, did := c.value(sub, member, 0)
				member, changed = next, changed || did
			}
		})
		if !changed {
			continue
		}
		if result == nil {
			result = maps.Clone(object)
		}
		result[key] = member
	}
	if result == nil {
		return object, false
	}
	return result, true
}

func (c *coercer) array(s *jsonschema.Schema, array []any) (any, bool) {
	if !c.take(time.Duration(len(array)) * costOfKey) {
		return array, false
	}
	var result []any
	for i, item := range array {
		sub := itemSchema(s, i)
		if sub == nil {
			continue
		}
		c.below(strconv.Itoa(i), func() {
			if item, did := c.value(sub, item, 0); did {
				if result == nil {
					result = slices.Clone(array)
				}
				result[i] = item
			}
		})
	}
	if result == nil {
		return array, false
	}
	return result, true
}

// union keeps a value that fits a member, and else takes the first member that
// it can be made to fit.
func (c *coercer) union(members []*jsonschema.Schema, v any, inPlace int) (any, bool) {
	for _, member := range members {
		if c.fits(member, v) {
			return v, false
		}
	}
	for _, member := range members {
		if result, did := c.value(member, v, inPlace+1); did && c.fits(member, result) {
			return result, true
		}
	}
	return v, false
}

func (c *coercer) fits(s *jsonschema.Schema, v any) bool {
	c.visit(s, v, 0)
	return !c.spent && s.Validate(v) == nil
}

// lookUp follows a JSON pointer in the form of a URL fragment.
func lookUp(v any, fragment string) any {
	for _, step := range strings.Split(inDocument(fragment), "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch part := v.(type) {
		case map[string]any:
			v = part[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(part) {
				return nil
			}
			v = part[i]
		default:
			return nil
		}
	}
	return v
}
