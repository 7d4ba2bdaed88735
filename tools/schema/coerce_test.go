package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/schema"
)

func TestScalarsAreCoerced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ property, in, out string }{
		{`{"type":"number"}`, `"5"`, `5`},
		{`{"type":"number"}`, `" -1.5e3 "`, `-1.5e3`},
		{`{"type":"number"}`, `"five"`, ``},
		{`{"type":"number"}`, `""`, ``},
		{`{"type":"number"}`, `"0x10"`, ``},
		{`{"type":"number"}`, `"007"`, ``},
		{`{"type":"number"}`, `"NaN"`, ``},
		{`{"type":"number"}`, `"1e999999"`, ``},
		{`{"type":"number"}`, `true`, ``},
		{`{"type":"number"}`, `null`, `0`},
		{`{"type":"integer"}`, `"5"`, `5`},
		{`{"type":"integer"}`, `"5.0"`, `5`},
		{`{"type":"integer"}`, `"5e2"`, `500`},
		{`{"type":"integer"}`, `"5.5"`, ``},
		{`{"type":"integer"}`, `5.5`, ``},
		{`{"type":"integer"}`, `5.0`, ``},
		{`{"type":"integer"}`, `null`, `0`},
		{`{"type":"integer"}`, `"123456789012345678901234567890"`, `123456789012345678901234567890`},
		{`{"type":"boolean"}`, `"true"`, `true`},
		{`{"type":"boolean"}`, `"false"`, `false`},
		{`{"type":"boolean"}`, `"yes"`, ``},
		{`{"type":"boolean"}`, `1`, `true`},
		{`{"type":"boolean"}`, `0`, `false`},
		{`{"type":"boolean"}`, `2`, ``},
		{`{"type":"boolean"}`, `null`, `false`},
		{`{"type":"boolean"}`, `{}`, ``},
		{`{"type":"string"}`, `5`, `"5"`},
		{`{"type":"string"}`, `12345678901234567890.10`, `"12345678901234567890.10"`},
		{`{"type":"string"}`, `true`, `"true"`},
		{`{"type":"string"}`, `false`, `"false"`},
		{`{"type":"string"}`, `null`, `""`},
		{`{"type":"string"}`, `{"a":1}`, ``},
		{`{"type":"object"}`, `null`, ``},
		{`{"type":"array"}`, `null`, ``},
		{`{"type":"null"}`, `""`, ``},
		{`{}`, `"5"`, ``},
		{`true`, `null`, ``},
	} {
		requireCoerced(t, c.property, c.in, c.out)
	}
}

// requireCoerced puts a property through Coerce; no out means no change.
func requireCoerced(t *testing.T, property, in, out string) {
	t.Helper()
	s := compiled(t, `{"properties":{"p":`+property+`}}`)
	args := json.RawMessage(`{"big": 12345678901234567891,  "p": ` + in + `}`)
	result, changed := s.Coerce(args)
	note := property + " " + in
	if out == "" {
		require.False(t, changed, note)
		require.Equal(t, string(args), string(result), note)
		return
	}
	require.True(t, changed, note)
	require.Equal(t, `{"big":12345678901234567891,"p":`+out+`}`, string(result), note)
	require.Empty(t, s.Check(result), note)
}

func TestUnionsKeepWhatFitsAndElseTryTheirMembersInOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ property, in, out string }{
		{`{"type":["integer","string"]}`, `"5"`, ``},
		{`{"type":["string","null"]}`, `null`, ``},
		{`{"type":["string","null"]}`, `5`, `"5"`},
		{`{"type":["string","boolean"]}`, `1`, `"1"`},
		{`{"type":["boolean","string"]}`, `1`, `true`},
		{`{"type":["string","integer"]}`, `null`, `""`},
		{`{"type":["integer","string"]}`, `null`, `0`},
		{`{"type":["integer","array"]}`, `"[1]"`, `[1]`},
		{`{"anyOf":[{"type":"integer"},{"type":"string"}]}`, `"5"`, ``},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `null`, ``},
		{`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `"5"`, `5`},
		{`{"oneOf":[{"type":"integer"},{"type":"boolean"}]}`, `"true"`, `true`},
		{`{"oneOf":[{"type":"integer"},{"type":"boolean"}]}`, `"5"`, `5`},
		{`{"anyOf":[{"type":"integer","minimum":10},{"type":"boolean"}]}`, `1`, `true`},
		{`{"anyOf":[{"type":"integer"},{"type":"boolean"}]}`, `"no"`, ``},
		{`{"anyOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}},{"type":"null"}]}`, `{"a":"1"}`, `{"a":1}`},
		{`{"anyOf":[{"type":"object","required":["b"]},{"type":"object","properties":{"a":{"type":"integer"}}}]}`, `{"a":"1"}`, `{"a":1}`},
	} {
		requireCoerced(t, c.property, c.in, c.out)
	}
}

func TestNestedSchemasAreFollowed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ property, in, out string }{
		{`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"integer"}}}}}`, `{"a":{"b":"1"}}`, `{"a":{"b":1}}`},
		{`{"items":{"type":"integer"}}`, `["1",2,3]`, `[1,2,3]`},
		{`{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"boolean"}}`, `[1,"2","true"]`, `["1",2,true]`},
		{`{"additionalProperties":{"type":"integer"}}`, `{"x":"1"}`, `{"x":1}`},
		{`{"patternProperties":{"^n":{"type":"integer"}}}`, `{"m":"1","n1":"1"}`, `{"m":"1","n1":1}`},
		{`{"allOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"boolean"}}}]}`, `{"a":"1","b":"true"}`, `{"a":1,"b":true}`},
	} {
		requireCoerced(t, c.property, c.in, c.out)
	}
}

func TestReferencesAreFollowed(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"$defs":{"n":{"type":"integer"}},"properties":{"p":{"$ref":"#/$defs/n"}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"type":"integer"}},"properties":{"p":{"$ref":"#/definitions/n"}}}`,
		`{"$defs":{"n":{"$dynamicAnchor":"n","type":"integer"}},"properties":{"p":{"$dynamicRef":"#n"}}}`,
		`{"$ref":"#/$defs/all","$defs":{"all":{"properties":{"p":{"type":["integer","null"]}}}}}`,
	} {
		result, changed := compiled(t, raw).Coerce(json.RawMessage(`{"p":"1"}`))
		require.True(t, changed, raw)
		require.Equal(t, `{"p":1}`, string(result), raw)
	}
}

func TestCoercionDoesWhatItCan(t *testing.T) {
	t.Parallel()
	s := compiled(t, `{"properties":{"p":{"items":{"type":"integer"}}}}`)
	result, changed := s.Coerce(json.RawMessage(`{"p":["1",2,"x"]}`))
	require.True(t, changed)
	require.JSONEq(t, `{"p":[1,2,"x"]}`, string(result))
	require.Equal(t, schema.Issues{{"p[2]", "must be integer, not string"}}, s.Check(result))
}

func TestJSONTextIsDecodedOnceForObjectsAndArrays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ property, in, out string }{
		{`{"type":"array","items":{"type":"string"}}`, `"[\"a\"]"`, `["a"]`},
		{`{"type":"array","items":{"type":"integer"}}`, `" [\"1\", 2] "`, `[1,2]`},
		{`{"type":"object"}`, `"{\"a\":12345678901234567890}"`, `{"a":12345678901234567890}`},
		{`{"type":"object","properties":{"a":{"type":"integer"}}}`, `"{\"a\":\"1\"}"`, `{"a":1}`},
		{`{"type":"array"}`, `"{\"a\":1}"`, ``},
		{`{"type":"array"}`, `"\"[1]\""`, ``},
		{`{"type":"array"}`, `"a, b"`, ``},
		{`{"type":"array"}`, `"[1] and more"`, ``},
		{`{"type":["array","string"]}`, `"[1]"`, ``},
		{`{"anyOf":[{"type":"array"},{"type":"null"}]}`, `"[1]"`, `[1]`},
	} {
		requireCoerced(t, c.property, c.in, c.out)
	}
}

func TestCoercionWorksOnACopyAndKeepsText(t *testing.T) {
	t.Parallel()
	s := compiled(t, `{"properties":{"n":{"type":"integer"}}}`)
	args := json.RawMessage(`{"html":"<a href='x'>&</a>","n":"1","sep":"\u2028"}`)
	before := string(args)
	result, changed := s.Coerce(args)
	require.True(t, changed)
	require.Equal(t, before, string(args))
	require.Contains(t, string(result), `"<a href='x'>&</a>"`)
}

func TestWhatCannotBeReadIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := compiled(t, `{"properties":{"n":{"type":"string"}}}`)
	for _, args := range []string{``, `{`, `{"n":1}x`, `{"n":1e9999999}`, strings.Repeat("[", 100_000)} {
		result, changed := s.Coerce(json.RawMessage(args))
		require.False(t, changed)
		require.Equal(t, args, string(result))
	}
}

func FuzzCoerce(f *testing.F) {
	const raw = `{"type":"object","properties":{"n":{"type":"number"},"i":{"type":["integer","null"]},"b":{"type":"boolean"},
		"s":{"type":"string","pattern":"^(?!x)"},"a":{"type":"array","items":{"$ref":"#"}},"o":{"type":"object"},
		"u":{"anyOf":[{"type":"integer","maximum":5},{"$ref":"#"},{"type":"boolean"}]}},
		"additionalProperties":{"oneOf":[{"type":"string"},{"type":"array","uniqueItems":true}]}}`
	s, err := schema.Compile(json.RawMessage(raw))
	require.NoError(f, err)
	f.Add(`{"n":"1","i":null,"b":1,"s":2,"a":"[{}]","o":"{}","u":"true","x":[1,1e400]}`)
	f.Add(`[]`)
	f.Add(`{"n":1e99999,"a":[{"a":"[{\"n\":\"2\"}]"}]}`)
	f.Fuzz(func(t *testing.T, args string) {
		result, changed := s.Coerce(json.RawMessage(args))
		require.True(t, changed || string(result) == args)
		if json.Valid([]byte(args)) {
			require.True(t, json.Valid(result))
		}
		again, changed := s.Coerce(result)
		if changed {
			require.NotEqual(t, string(result), string(again))
		}
		s.Check(result).Message("tool", result)
	})
}
