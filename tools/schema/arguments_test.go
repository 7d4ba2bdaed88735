package schema_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"errand/tools/schema"
)

func TestArgumentsThatCanBeRead(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                               `{}`,
		" \n\t ":                         `{}`,
		"null":                           `{}`,
		`""`:                             `{}`,
		`"null"`:                         `{}`,
		"{}":                             `{}`,
		" {\"a\": 1.0} \n":               `{"a": 1.0}`,
		`{"n":12345678901234567890}`:     `{"n":12345678901234567890}`,
		`{"b":1,"a":2,"a":3}`:            `{"b":1,"a":2,"a":3}`,
		`"{\"a\": 1}"`:                   `{"a": 1}`,
		"\uFEFF{}":                       `{}`,
		"{\"a\":\"\xff\"}":               "{\"a\":\"\uFFFD\"}",
		`{"a":"} trailing { \" ] text"}`: `{"a":"} trailing { \" ] text"}`,
	} {
		got, err := schema.ParseArguments(in)
		require.NoError(t, err, in)
		require.Equal(t, want, string(got), in)
	}
}

func TestArgumentsThatCannotBeReadSayWhatWasReceived(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"a":1}}`:            "the arguments go on after the end of the JSON object: }; send one JSON object and nothing else; received: {\"a\":1}}",
		`{"a":1} {"a":1}`:     "go on after the end",
		`{"a":1`:              "they end too early",
		`{a:1}`:               "not valid JSON",
		`{'a':1}`:             "received: {'a':1}",
		"```json\n{}\n```":    "not valid JSON",
		`city=Rome`:           "received: city=Rome",
		`[]`:                  "must be a JSON object; received: []",
		`[{"a":1}]`:           "must be a JSON object",
		`5`:                   "must be a JSON object; received: 5",
		`"Rome"`:              "received: Rome",
		`"{\"a\":1}" x`:       "must be a JSON object",
		`"\"{\\\"a\\\":1}\""`: "must be a JSON object", // encoded twice
		`true`:                "must be a JSON object",
		"\xff\xfe":            "not valid JSON",
		`{"a":NaN}`:           "not valid JSON",
	} {
		_, err := schema.ParseArguments(in)
		require.ErrorContains(t, err, want, in)
	}
}

func TestWhatWasReceivedIsCut(t *testing.T) {
	t.Parallel()
	_, err := schema.ParseArguments(strings.Repeat("é", 100_000))
	require.Error(t, err)
	_, shown, _ := strings.Cut(err.Error(), "received: ")
	require.Equal(t, 200, utf8.RuneCountInString(shown))
}

func TestDeepArgumentsAreRefusedQuickly(t *testing.T) {
	t.Parallel()
	start := time.Now()
	_, err := schema.ParseArguments(strings.Repeat(`{"a":`, 2_000_000))
	require.ErrorContains(t, err, "nested too deeply")
	require.Less(t, time.Since(start), soon)
	issues := compiled(t, `{}`).Check(json.RawMessage(strings.Repeat(`[`, 2_000_000)))
	require.Len(t, issues, 1)
}

func FuzzParseArguments(f *testing.F) {
	for _, seed := range []string{"", "null", `{"a":1}`, `"{\"a\":1}"`, `{"a":1}x`, "\xff", `[`, `{"\ud800":1}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := schema.ParseArguments(text)
		if err != nil {
			require.True(t, utf8.ValidString(strings.ToValidUTF8(err.Error(), "")))
			return
		}
		require.True(t, json.Valid(got))
		require.Equal(t, byte('{'), got[0])
		again, err := schema.ParseArguments(string(got))
		require.NoError(t, err)
		require.Equal(t, string(got), string(again))
	})
}
