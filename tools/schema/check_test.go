package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"errand/tools/schema"
)

const trip = `{"type":"object","required":["stops"],"additionalProperties":false,"properties":{
	"class":{"enum":["eco","first"]},
	"stops":{"type":"array","maxItems":12,"items":{"type":"object","required":["city"],"properties":{
		"city":{"type":"string","minLength":2},"nights":{"type":"integer","minimum":1}}}}}}`

func TestIssuesNameThePathAndTheFix(t *testing.T) {
	t.Parallel()
	s := compiled(t, trip)
	for args, want := range map[string]string{
		`{}`:                                     "stops: is required, but missing",
		`{"stops":[{}]}`:                         "stops[0].city: is required, but missing",
		`{"stops":[{"city":1}]}`:                 "stops[0].city: must be string, not number",
		`{"stops":[{"city":"x"}]}`:               "stops[0].city: must have at least 2 characters, not 1",
		`{"stops":{}}`:                           "stops: must be array, not object",
		`{"stops":[],"klass":1}`:                 "klass: is not a property that the schema knows",
		`{"stops":[],"a b":1}`:                   `["a b"]: is not a property that the schema knows`,
		`{"stops":[],"class":"2nd"}`:             `class: must be one of "eco", "first"`,
		`{"stops":[{"city":"Rome","nights":0}]}`: "stops[0].nights: must be at least 1, not 0",
		`[]`:                                     "root: must be object, not array",
		`{`:                                      "root: cannot be read as JSON: unexpected end of JSON",
		`{} {}`:                                  "root: cannot be read as JSON: extra characters after the JSON value",
		`1e9999`:                                 "root: is a number that is out of range",
		`{"stops":[{"city":"Rome","nights":1e99999999999}]}`: "stops[0].nights: is a number that is out of range",
	} {
		issues := s.Check(json.RawMessage(args))
		require.Len(t, issues, 1, args)
		require.Equal(t, want, issues[0].String(), args)
	}
	require.Empty(t, s.Check(json.RawMessage(`{"stops":[{"city":"Rome","nights":1.0}]}`)))
}

func TestEveryKeywordHasAnIssueOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ property, in, want string }{
		{`{"maximum":9007199254740993}`, `9007199254740994`, "p: must be at most 9007199254740993, not 9007199254740994"},
		{`{"exclusiveMinimum":0}`, `0`, "p: must be greater than 0, not 0"},
		{`{"exclusiveMaximum":0.5}`, `0.75`, "p: must be less than 0.5, not 0.75"},
		{`{"multipleOf":0.01}`, `0.015`, "p: must be a multiple of 0.01, not 0.015"},
		{`{"maxLength":1}`, `"ab"`, "p: must have at most 1 characters, not 2"},
		{`{"minItems":1}`, `[]`, "p: must have at least 1 items, not 0"},
		{`{"minProperties":1}`, `{}`, "p: must have at least 1 properties, not 0"},
		{`{"maxProperties":0}`, `{"a":1}`, "p: must have at most 0 properties, not 1"},
		{`{"uniqueItems":true}`, `[1,2,1]`, "p: items 0 and 2 are equal, but must differ"},
		{`{"contains":{"const":1}}`, `[2]`, "p: has no item of the form that the schema asks for"},
		{`{"contains":true,"maxContains":1}`, `[1,2]`, "p: must have at most 1 items of the form that the schema asks for, not 2"},
		{`{"const":"a"}`, `"b"`, `p: must be "a"`},
		{`{"pattern":"^a$"}`, `"secret"`, "p: must match the pattern ^a$"},
		{`{"not":{"type":"string"}}`, `"x"`, "p: has a form that the schema rules out"},
		{`false`, `1`, "p: is not allowed"},
		{`{"unevaluatedProperties":false}`, `{"a":1}`, "p.a: is not allowed"},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, `p.b: is required when "a" is given`},
		{`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, "ab: is not a valid property name: must have at most 1 characters, not 2"},
		{`{"prefixItems":[true],"items":false}`, `[1,2]`, "p[1]: is not allowed"},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `{}`, "p: must be string or null, not object"},
		{`{"anyOf":[{"const":"a"},{"const":"b"},{"type":"integer"}]}`, `"c"`, `p: must be integer, not string or must be one of "a", "b"`},
		{`{"anyOf":[{"required":["x","y"]},{"required":["z"]}]}`, `{}`, "p.z: is required, but missing"},
		{`{"oneOf":[{"type":"integer"},{"minimum":0}]}`, `1`, "p: fits more than one of the forms that exclude each other"},
		{`{"allOf":[{"type":"integer"},{"type":"integer"}]}`, `"x"`, "p: must be integer, not string"},
	} {
		s := compiled(t, `{"properties":{"p":`+c.property+`}}`)
		issues := s.Check(json.RawMessage(`{"p":` + c.in + `}`))
		require.Len(t, issues, 1, c.property)
		require.Equal(t, c.want, issues[0].String())
	}
}

func TestTheDraftDecidesWhetherFormatsCount(t *testing.T) {
	t.Parallel()
	const property = `"properties":{"p":{"format":"ipv4"}}`
	args := json.RawMessage(`{"p":"localhost"}`)
	require.Empty(t, compiled(t, `{`+property+`}`).Check(args))
	issues := compiled(t, `{"$schema":"http://json-schema.org/draft-07/schema#",`+property+`}`).Check(args)
	require.Equal(t, schema.Issues{{Path: "p", Message: "must be a valid ipv4"}}, issues)
}

func TestIssuesComeInOneOrder(t *testing.T) {
	t.Parallel()
	s := compiled(t, trip)
	args := json.RawMessage(`{"z":1,"y":2,"x":3,"stops":[1,2,3,4,5,6,7,8,9,10,{"nights":0.5}]}`)
	first := s.Check(args)
	require.Equal(t, "stops[2]", first[2].Path)
	require.Equal(t, "stops[9]", first[9].Path)
	for range 50 {
		require.Equal(t, first, s.Check(args))
	}
}

func TestTheMessageForTheModel(t *testing.T) {
	t.Parallel()
	s := compiled(t, trip)
	args := json.RawMessage(`{"stops":[{"city":5},{}],"note":{},"n":[ ], "big":12345678901234567890}`)
	require.Equal(t, `The arguments of "book" do not fit its schema:
  - big: is not a property that the schema knows
  - n: is not a property that the schema knows
  - note: is not a property that the schema knows
  - stops[0].city: must be string, not number
  - stops[1].city: is required, but missing

Received arguments:
{
  "stops": [
    {
      "city": 5
    },
    {}
  ],
  "note": {},
  "n": [],
  "big": 12345678901234567890
}`, s.Check(args).Message("book", args))
}

func TestTheMessageIsBounded(t *testing.T) {
	t.Parallel()
	s := compiled(t, `{"additionalProperties":{"type":"integer"}}`)
	var args strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&args, `"%d%s":"é",`, i, strings.Repeat("ż", 1000))
	}
	received := json.RawMessage(`{` + args.String() + `"deep":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`)
	text := s.Check(received).Message("t", received)
	require.Less(t, len(text), 20*700+4200)
	require.True(t, utf8.ValidString(text))
	require.Contains(t, text, "\n… and 4981 more\n")
	_, shown, _ := strings.Cut(text, "Received arguments:\n")
	require.LessOrEqual(t, len(shown), 4000)
	require.Greater(t, len(shown), 3990)

	garbage := schema.Issues{{Message: "m"}}.Message("t", json.RawMessage("\xff{"))
	require.True(t, strings.HasSuffix(garbage, "Received arguments:\n\uFFFD{"))
}

func TestPropertyNameIssuesAreStable(t *testing.T) {
	t.Parallel()
	s := compiled(t, `{"additionalProperties":{"properties":{"in":{"propertyNames":{"maxLength":1}}}}}`)
	args := json.RawMessage(`{"a":{"in":{"long":1}},"b":{"in":{"long":1}}}`)
	for range 50 {
		require.Equal(t, "long", s.Check(args)[0].Path)
	}
}
