package schema

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func rep(one string, n int) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }

// hostileSchemas are small for what compiling them takes.
func hostileSchemas() map[string]string {
	key := strings.Repeat("k", 100<<10)
	var wide, ids, refs, chain strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&wide, `"p%d":{"type":"string"},`, i)
	}
	for i := range 4000 {
		fmt.Fprintf(&ids, `"p%d":{"$id":"i%d","type":"string"},`, i, i)
	}
	path := "#"
	for range 90 {
		path += "/x"
		fmt.Fprintf(&refs, `{"$ref":"%s"},`, path)
	}
	chain.WriteString(strings.Repeat(`{"x":`, 90) + `{"allOf":[` + rep(`{"type":"string"}`, 7000) + `]}` + strings.Repeat(`}`, 90))
	return map[string]string{
		"wide":           `{"properties":{` + wide.String() + `"z":true}}`,
		"ids":            `{"properties":{` + ids.String() + `"z":true}}`,
		"long key":       `{"properties":{"` + key + `":{"allOf":[` + rep(`{"type":"string"}`, 4000) + `]}}}`,
		"long key, enum": `{"properties":{"` + key + `":{"enum":[` + rep(`0`, 100_000) + `]}}}`,
		"refs aside":     `{"allOf":[` + refs.String() + `{}],"x":` + strings.TrimPrefix(chain.String(), `{"x":`)[:len(chain.String())-len(`{"x":`)-1] + `}`,
		"repeats":        `{"allOf":[` + rep(`{"pattern":"(a{1000}b{1000}c{1000})"}`, 2000) + `]}`,
		"classes":        `{"pattern":"` + strings.Repeat(`\\p{L}`, 20000) + `"}`,
		"one pattern":    `{"pattern":"` + strings.Repeat(`a{1000}`, 3000) + `"}`,
		"required": `{"$schema":"http://json-schema.org/draft-07/schema#","required":[` + func() string {
			var b strings.Builder
			for i := range 100000 {
				fmt.Fprintf(&b, `"%d",`, i)
			}
			return b.String()
		}() + `"z"]}`,
		"deep": strings.Repeat(`{"not":`, 99) + "{}" + strings.Repeat("}", 99),
	}
}

// refusedSchemas says what is refused before it is compiled, and in which words.
var refusedSchemas = map[string]string{
	"wide": "more than 8000 subschemas", "long key": "would take too long to compile", "repeats": "would take too long to compile", "refs aside": "would take too long to compile",
	"classes": "pattern: the pattern is too large: it has 100000 bytes", "one pattern": "pattern: the pattern is too large",
	"repeat": "properties.p.pattern: the pattern is too large: its repeats come to more than 20000 steps",
}

func TestSchemasThatTakeTooLongAreNotCompiled(t *testing.T) {
	t.Parallel()
	for name, raw := range hostileSchemas() {
		doc, err := decode(json.RawMessage(raw), maxDepth)
		require.NoError(t, err, name)
		found, err := surveyed(doc)
		if want, refused := refusedSchemas[name]; refused {
			require.ErrorContains(t, err, want, name)
		} else {
			require.NoError(t, err, name)
			require.LessOrEqual(t, found.cost, maxWork, name)
		}
	}
}

// The library compiles in about the square of a schema's size. The estimate has
// to grow as fast.
func TestTheEstimateGrowsAsTheWorkDoes(t *testing.T) {
	t.Parallel()
	cost := func(n int) time.Duration {
		doc, err := decode(json.RawMessage(`{"allOf":[`+rep(`{"type":"string"}`, n)+`]}`), maxDepth)
		require.NoError(t, err)
		found, err := surveyed(doc)
		require.NoError(t, err)
		return found.cost
	}
	require.Greater(t, cost(6000), 3*cost(3000))
	size := func(pattern string) int {
		n, _, err := programSize(pattern)
		require.NoError(t, err)
		return n
	}
	require.Greater(t, size("(abc){1000}"), 900*size("abc"))
	require.Greater(t, size("((abc){30}){30}"), 800*size("abc"))
	require.Equal(t, matchCost(&linear{size: 9}, strings.Repeat("a", 992)), 100*matchCost(&linear{size: 9}, "aa"))
}

// refusedChecks are those of hostileChecks that are refused, with the field and
// the reason that the refusal names.
var refusedChecks = map[string]string{
	"allOf of patterns": "root: cannot be checked, because it would take too long: a text of 100000 bytes, against the pattern (x+x+)+y",
	"pattern x keys":    ": cannot be checked, because it would take too long: a text of ",
	"allOf x keys":      "root: cannot be checked",
	"required":          "]: cannot be checked",
	"required fits":     "]: cannot be checked",
	"enum":              "]: cannot be checked",
	"enum written":      "]: cannot be checked",
	"deep issues rec":   "[0][0][0]",
	"unique":            "root: cannot be checked",
	"backtracking":      "[0]: cannot be checked: the pattern ^(?=a)(a+)+$ takes too long",
	"backtracking keys": "root: cannot be checked: the pattern ^(?=a)(a+)+$ takes too long",
	"regex format":      "]: cannot be checked",
}

func TestChecksThatTakeTooLongAreRefusedAndNameTheField(t *testing.T) {
	t.Parallel()
	for name, c := range hostileChecks() {
		s, err := Compile(json.RawMessage(c[0]))
		require.NoError(t, err, name)
		s.Coerce(json.RawMessage(c[1]))
		b := NewBudget(t.Context())
		issues := s.CheckWithin(b, json.RawMessage(c[1]))
		if want, refused := refusedChecks[name]; refused {
			require.Len(t, issues, 1, name)
			require.Contains(t, issues[0].String(), want, name)
			require.Contains(t, issues[0].Message, "cannot be checked", name)
		}
		if len(issues) > 0 && strings.Contains(issues[0].Message, "takes too long") {
			require.Negative(t, b.patience, name)
		}
		require.GreaterOrEqual(t, b.left, time.Duration(0), name)
	}
}

func TestABudgetIsForAllChecksOfARequest(t *testing.T) {
	t.Parallel()
	s, err := Compile(json.RawMessage(`{"pattern":"^(a?){20}b$"}`))
	require.NoError(t, err)
	text := json.RawMessage(`"` + strings.Repeat("a", 50_000) + `"`)
	b := NewBudget(t.Context())
	checked := 0
	for ; checked < 100 && strings.Contains(s.CheckWithin(b, text)[0].Message, "must match"); checked++ {
	}
	require.Positive(t, checked)
	require.Less(t, checked, 10)
	require.Contains(t, s.Check(text)[0].Message, "must match", "another request has a budget of its own")
}

func TestWorkEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b := NewBudget(ctx)
	s, err := Compile(json.RawMessage(`{"items":{"pattern":"(?=a)a"}}`))
	require.NoError(t, err)
	cancel()
	long := json.RawMessage("[" + rep(`"a"`, 10_000) + "]")
	m := newMeter(s, b)
	m.visit(s.root, []any{"a"}, 0)
	require.False(t, m.spent, "a short check is made all the same")
	var all []any
	for range 10_000 {
		all = append(all, "a")
	}
	m.visit(s.root, all, 0)
	require.True(t, m.spent)
	require.Less(t, m.visits, 2*visitsBetween)
	require.Contains(t, s.CheckWithin(b, long)[0].Message, "cannot be checked")
	_, changed := s.CoerceWithin(b, long)
	require.False(t, changed)
	_, err = NewCache(1).GetWithin(b, json.RawMessage(`{}`))
	require.ErrorIs(t, err, context.Canceled)
}

func TestASpentBudgetSaysNothingAboutASchema(t *testing.T) {
	t.Parallel()
	cache, raw := NewCache(4), json.RawMessage(`{"allOf":[`+rep(`{"type":"string"}`, 3000)+`]}`)
	b := NewBudget(t.Context())
	b.left = time.Millisecond
	_, err := cache.GetWithin(b, raw)
	require.ErrorIs(t, err, ErrSpent)
	s, err := cache.GetWithin(NewBudget(t.Context()), raw)
	require.NoError(t, err)
	again, err := cache.GetWithin(b, raw)
	require.NoError(t, err, "what is compiled costs nothing")
	require.Same(t, s, again)
}

func TestChecksWithMeasuredPatternsWaitForEachOther(t *testing.T) {
	t.Parallel()
	e := newEngine()
	e.measures = true
	inner := errors.New("not run")
	_, err := e.within(NewBudget(t.Context()), func() {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, inner = e.within(NewBudget(ctx), func() { t.Error("two at a time") })
	})
	require.NoError(t, err)
	require.ErrorIs(t, inner, context.Canceled)
	late, err := e.within(NewBudget(t.Context()), func() {})
	require.NoError(t, err)
	require.Empty(t, late)
}

// hostileChecks are schemas and arguments that are small for what checking them
// takes. Those that fit come close to what is let through.
func hostileChecks() map[string][2]string {
	text := func(n int) string { return `"` + strings.Repeat("a", n) + `"` }
	keys := func(n int, prefix string) string {
		var b strings.Builder
		b.WriteString("{")
		for i := range n {
			fmt.Fprintf(&b, `"%s%d":1,`, prefix, i)
		}
		return b.String() + `"z":1}`
	}
	patterns := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"^(a?){50}[a-z]*%d$":{"type":"string"},`, i)
		}
		return `{"patternProperties":{` + strings.TrimSuffix(b.String(), ",") + `}}`
	}
	return map[string][2]string{
		"pattern":              {`{"pattern":"^(a?){450}b$"}`, text(700_000)},
		"pattern large":        {`{"pattern":"^(a?){1000}(a?){1000}(a?){1000}b$"}`, text(700_000)},
		"pattern fits":         {`{"pattern":"^(a?){450}b$"}`, text(150_000)},
		"pattern large fits":   {`{"pattern":"^(a?){1000}(a?){1000}(a?){1000}b$"}`, text(12_000)},
		"pattern loose":        {`{"pattern":"(a|b|ab)*(c|d|[ef])+x"}`, text(700_000)},
		"allOf of patterns":    {`{"allOf":[` + rep(`{"pattern":"(x+x+)+y"}`, 3000) + `]}`, text(100_000)},
		"pattern x keys":       {patterns(1000), keys(30_000, "a")},
		"pattern x keys fits":  {patterns(100), keys(100, "a")},
		"allOf x keys":         {`{"allOf":[` + rep(`{"minProperties":1}`, 5000) + `]}`, keys(50_000, "k")},
		"allOf x keys fits":    {`{"allOf":[` + rep(`{"minProperties":1}`, 200) + `]}`, keys(30_000, "k")},
		"uneval":               {`{"allOf":[` + rep(`{"minProperties":1}`, 1000) + `],"unevaluatedProperties":false}`, keys(1000, "k")},
		"uneval fits":          {`{"allOf":[` + rep(`{"minProperties":1}`, 100) + `],"unevaluatedProperties":false}`, keys(5000, "k")},
		"required":             {`{"items":{"required":[` + rep(text(5), 1) + `,` + strings.Trim(strings.ReplaceAll(strings.ReplaceAll(keys(50_000, "r"), ":1", ""), "{", ""), "}") + `]}}`, "[" + rep("{}", 20_000) + "]"},
		"required fits":        {`{"items":{"required":[` + strings.Trim(strings.ReplaceAll(strings.ReplaceAll(keys(1000, "r"), ":1", ""), "{", ""), "}") + `]}}`, "[" + rep("{}", 2500) + "]"},
		"enum":                 {`{"items":{"enum":[` + rep(`123456789`, 90_000) + `]}}`, "[" + rep("5", 1000) + "]"},
		"enum fits":            {`{"items":{"enum":[` + rep(`123456789`, 100) + `]}}`, "[" + rep("5", 2000) + "]"},
		"enum written":         {`{"items":{"enum":[` + text(900_000) + `]}}`, "[" + rep(`"b"`, 10_000) + "]"},
		"enum written fits":    {`{"items":{"enum":[` + text(10_000) + `]}}`, "[" + rep(`"b"`, 10_000) + "]"},
		"deep issues":          {strings.Repeat(`{"items":`, 95) + `{"type":"string"}` + strings.Repeat("}", 95), strings.Repeat("[", 95) + rep("1", 100_000) + strings.Repeat("]", 95)},
		"deep issues rec":      {`{"$defs":{"n":{"type":["string","array"],"items":{"$ref":"#/$defs/n"}}},"$ref":"#/$defs/n"}`, strings.Repeat("[", 900) + rep("1", 100_000) + strings.Repeat("]", 900)},
		"deep issues rec fits": {`{"$defs":{"n":{"type":["string","array"],"items":{"$ref":"#/$defs/n"}}},"$ref":"#/$defs/n"}`, strings.Repeat("[", 400) + rep("1", 10_000) + strings.Repeat("]", 400)},
		"issues":               {`{"items":{"type":"string"}}`, "[" + rep("1", 300_000) + "]"},
		"unique":               {`{"allOf":[` + rep(`{"uniqueItems":true}`, 3000) + `]}`, "[" + rep(text(20_000), 15) + "]"},
		"unique fits":          {`{"uniqueItems":true}`, "[" + strings.Trim(strings.ReplaceAll(keys(20_000, "r"), ":1", ""), "{}") + "]"},
		"numbers":              {`{"items":{"multipleOf":0.` + strings.Repeat("1", 300) + `}}`, "[" + rep(strings.Repeat("7", 900), 800) + "]"},
		"numbers fits":         {`{"items":{"multipleOf":0.01,"minimum":5,"maximum":1e300}}`, "[" + rep("1234567890.01", 20_000) + "]"},
		"anyOf of texts":       {`{"anyOf":[` + rep(`{"type":"array","items":{"type":"object"}}`, 3000) + `]}`, `"[` + rep("1", 300_000) + `]"`},
		"string to object":     {`{"items":{"type":["object","array"]}}`, "[" + rep(`"{x"`, 100_000) + "]"},
		"backtracking":         {`{"items":{"pattern":"^(?=a)(a+)+$"}}`, "[" + rep(`"`+strings.Repeat("a", 60)+`!"`, 5000) + "]"},
		"backtracking keys":    {`{"patternProperties":{"^(?=a)(a+)+$":{}}}`, keys(1000, strings.Repeat("a", 60)+"!")},
		"regex format":         {`{"$schema":"http://json-schema.org/draft-07/schema#","items":{"format":"regex"}}`, "[" + rep(`"(a{1000}b{1000}c{1000})(a{1000}b{1000}c{1000})(a{1000}b{1000}c{1000})"`, 5000) + "]"},
		"unions":               {`{"$defs":{"n":{"anyOf":[{"type":"integer"},{"type":"array","items":{"$ref":"#/$defs/n"}},{"type":"object"}]}},"$ref":"#/$defs/n"}`, strings.Repeat("[", 300) + rep(`"x"`, 2000) + strings.Repeat("]", 300)},
	}
}

// BenchmarkHostile prints what adversarial schemas and arguments take until they
// are done or refused.
func BenchmarkHostile(b *testing.B) {
	for name, raw := range hostileSchemas() {
		b.Run("compile/"+strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				_, _ = Compile(json.RawMessage(raw))
			}
		})
	}
	for name, c := range hostileChecks() {
		s, err := Compile(json.RawMessage(c[0]))
		require.NoError(b, err, name)
		b.Run("check/"+strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				s.Coerce(json.RawMessage(c[1]))
				s.Check(json.RawMessage(c[1]))
			}
		})
	}
}
