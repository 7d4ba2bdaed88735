package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools/schema"
)

// soon is what tests of bounds allow on a busy machine. Without its bound each
// of them would take hours or for ever.
const soon = time.Minute

func compiled(t *testing.T, raw string) *schema.Schema {
	t.Helper()
	s, err := schema.Compile(json.RawMessage(raw))
	require.NoError(t, err)
	return s
}

func TestBlankSchemasAcceptAnyObject(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"", " ", "null", "{}", " {} "} {
		s := compiled(t, raw)
		require.Empty(t, s.Check(json.RawMessage(`{"a":[1,null]}`)), raw)
		require.Len(t, s.Check(json.RawMessage(`[]`)), 1, raw)
	}
}

func TestTheDialectDecidesWhatKeywordsMean(t *testing.T) {
	t.Parallel()
	const tuple = `{"properties":{"p":{"items":[{"type":"integer"}]}}%s}`
	_, err := schema.Compile(json.RawMessage(fmt.Sprintf(tuple, "")))
	require.ErrorContains(t, err, "properties.p.items: must be boolean or object, not array")

	s := compiled(t, fmt.Sprintf(tuple, `,"$schema":"http://json-schema.org/draft-07/schema#"`))
	require.Empty(t, s.Check(json.RawMessage(`{"p":[1]}`)))
	require.Len(t, s.Check(json.RawMessage(`{"p":["x"]}`)), 1)
}

func TestReferencesWithinTheDocumentWork(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"$defs":{"n":{"type":"integer"}},"properties":{"a":{"$ref":"#/$defs/n"}}}`,
		`{"$defs":{"n":{"$anchor":"num","type":"integer"}},"properties":{"a":{"$ref":"#num"}}}`,
		`{"$id":"https://example.com/s","$defs":{"n":{"$id":"n","type":"integer"}},"properties":{"a":{"$ref":"n"}}}`,
	} {
		s := compiled(t, raw)
		require.Empty(t, s.Check(json.RawMessage(`{"a":1}`)), raw)
		require.Len(t, s.Check(json.RawMessage(`{"a":"x"}`)), 1, raw)
	}
	compiled(t, `{"properties":{"schema":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}`)
}

func TestReferencesOutOfTheDocumentAreRefused(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{
		"file:///etc/passwd", "http://127.0.0.1:1/s.json", "https://example.com/s.json#/a",
		"other.json", "/etc/passwd", "../../../../etc/passwd", "gopher://example.com/s",
		"//example.com/s", "http://json-schema.org/no/such", "#/$defs/missing one", "#nowhere",
	} {
		raw, err := json.Marshal(map[string]map[string]map[string]string{"properties": {"a": {"$ref": ref}}})
		require.NoError(t, err)
		_, err = schema.Compile(raw)
		require.ErrorContains(t, err, fmt.Sprintf("the schema refers to %q", ref))
	}
}

func TestBrokenSchemasSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`[]`:                              "must be a JSON object",
		`"x"`:                             "must be a JSON object",
		`{`:                               "unexpected end of JSON",
		`{} {}`:                           "extra characters",
		`{"type":"strin"}`:                "type: ",
		`{"properties":{"a":{"type":1}}}`: "properties.a.type: ",
		`{"required":"a"}`:                "required: must be array, not string",
		`{"$schema":"draft-99"}`:          `unsupported dialect in $schema: "draft-99"`,
		`{"$schema":"http://json-schema.org/draft-03/schema#"}`: "unsupported dialect",
		`{"pattern":"("}`:        "pattern",
		`{"minimum":1e99999999}`: "out of range",
	} {
		_, err := schema.Compile(json.RawMessage(raw))
		require.ErrorContains(t, err, want, raw)
		require.NotContains(t, err.Error(), "errand:", raw)
	}
}

func TestBombsAreRefusedQuickly(t *testing.T) {
	t.Parallel()
	refs := strings.Repeat(`{"$ref":"#"},`, 1001)
	subschemas := strings.Repeat(`{},`, 10_001)
	for name, raw := range map[string]string{
		"deep objects": strings.Repeat(`{"not":`, 200_000),
		"deep arrays":  strings.Repeat(`[`, 1_000_000),
		"101 levels":   strings.Repeat(`{"not":`, 101) + "{}" + strings.Repeat("}", 101),
		"large":        `{"description":"` + strings.Repeat("x", 1<<20) + `"}`,
		"references":   `{"anyOf":[` + refs + `{}]}`,
		"subschemas":   `{"anyOf":[` + subschemas + `{}]}`,
	} {
		start := time.Now()
		_, err := schema.Compile(json.RawMessage(raw))
		require.Error(t, err, name)
		require.Less(t, time.Since(start), soon, name)
	}
	compiled(t, strings.Repeat(`{"not":`, 99)+"{}"+strings.Repeat("}", 99))
}

func TestSchemasWithinTheBoundsCompileInReasonableTime(t *testing.T) {
	t.Parallel()
	var wide strings.Builder
	for i := range 7_000 {
		fmt.Fprintf(&wide, `"p%d":{"type":"string"},`, i)
	}
	start := time.Now()
	compiled(t, `{"properties":{`+wide.String()+`"last":true}}`)
	require.Less(t, time.Since(start), soon)
}

func TestEcmaPatternsWork(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ pattern, good, bad string }{
		"plain":          {`^[a-z]+$`, "abc", "ABC"},
		"lookahead":      {`^(?!\.)(?!.*\.\.)[a-z.]+$`, "a.b", "a..b"},
		"lookbehind":     {`(?<!x)y`, "ay", "xy"},
		"back-reference": {`^(.)\1$`, "aa", "ab"},
		"unicode":        {`^\p{L}+$`, "żółć", "1"},
	} {
		raw, err := json.Marshal(map[string]map[string]map[string]string{"properties": {"a": {"pattern": c.pattern}}})
		require.NoError(t, err)
		s := compiled(t, string(raw))
		require.Empty(t, s.Check(json.RawMessage(`{"a":"`+c.good+`"}`)), name)
		require.Len(t, s.Check(json.RawMessage(`{"a":"`+c.bad+`"}`)), 1, name)
	}
}

func TestCatastrophicPatternsDoNotHang(t *testing.T) {
	t.Parallel()
	s := compiled(t, `{"properties":{"a":{"items":{"pattern":"^(?=a)(a+)+$"}}}}`)
	evil := `"` + strings.Repeat("a", 60) + `!",`
	args := `{"a":[` + strings.Repeat(evil, 500) + `"a"]}`
	start := time.Now()
	require.NotEmpty(t, s.Check(json.RawMessage(args)))
	require.Less(t, time.Since(start), soon)
}

func TestExponentialSchemasAreNotEvaluated(t *testing.T) {
	t.Parallel()
	var chain strings.Builder
	for i := range 40 {
		fmt.Fprintf(&chain, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	doubling := `{"$ref":"#/$defs/d0","$defs":{` + chain.String() + `"d40":{}}}`
	recursive := `{"$defs":{"n":{"properties":{"a":{"allOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/n"}]}}}},"$ref":"#/$defs/n"}`
	dynamic := `{"$dynamicAnchor":"n","properties":{"a":{"allOf":[{"$dynamicRef":"#n"},{"$dynamicRef":"#n"}]}}}`
	deep := strings.Repeat(`{"a":`, 60) + `"1"` + strings.Repeat(`}`, 60)
	for name, c := range map[string]struct{ schema, args string }{
		"doubling":  {doubling, `{}`},
		"recursive": {recursive, deep},
		"dynamic":   {dynamic, deep},
		"loop":      {`{"$ref":"#"}`, `{}`},
		"two loops": {`{"allOf":[{"$ref":"#"},{"$ref":"#"}]}`, `{}`},
		"unions":    {`{"$defs":{"n":{"properties":{"a":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"integer","maximum":0},{"$ref":"#/$defs/n"}]}}}},"$ref":"#/$defs/n"}`, deep},
	} {
		s := compiled(t, c.schema)
		start := time.Now()
		s.Coerce(json.RawMessage(c.args))
		require.Len(t, s.Check(json.RawMessage(c.args)), 1, name)
		require.Less(t, time.Since(start), soon, name)
	}
}

func TestRecursiveSchemasCheckRecursiveArguments(t *testing.T) {
	t.Parallel()
	s := compiled(t, `{"$defs":{"node":{"type":"object","required":["v"],
		"properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/node"}}}},"$ref":"#/$defs/node"}`)
	args := strings.Repeat(`{"v":1,"next":`, 300) + `{"v":"2"}` + strings.Repeat(`}`, 300)
	require.Len(t, s.Check(json.RawMessage(args)), 1)
	fixed, changed := s.Coerce(json.RawMessage(args))
	require.True(t, changed)
	require.Empty(t, s.Check(fixed))
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "true", trip, `{"$ref":"#"}`, `{"$dynamicAnchor":"a","$dynamicRef":"#a"}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","id":"x","items":[{}],"dependencies":{"a":["b"]}}`,
		`{"$id":"http://a/b","$defs":{"x":{"$id":"c","pattern":"(?=a)"}},"$ref":"c","if":{},"then":false}`,
		`{"properties":{"a":{"enum":[1e400,null]},"stops":{"uniqueItems":true,"contains":{}}},"unevaluatedProperties":false}`,
	} {
		f.Add(seed, `{"a":1,"stops":["1",null,{"city":"x"}]}`)
	}
	f.Fuzz(func(_ *testing.T, raw, args string) {
		s, err := schema.Compile(json.RawMessage(raw))
		if err != nil {
			return
		}
		result, _ := s.Coerce(json.RawMessage(args))
		s.Check(result)
	})
}
