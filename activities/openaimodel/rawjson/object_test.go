package rawjson_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/activities/openaimodel/rawjson"
)

func TestObjectLeavesAsItCame(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		`{}`:                             `{}`,
		` { "b" : 1 , "a" : "<&>" } `:    `{"b":1,"a":"<&>"}`,
		`{"n":9007199254740993,"e":1.0}`: `{"n":9007199254740993,"e":1.0}`,
		`{"a":{"y": 1, "x": [ ]}}`:       `{"a":{"y": 1, "x": [ ]}}`,
		`{"a":1,"a":2}`:                  `{"a":1,"a":2}`,
		`{"é<":"\ud83d\ude00"}`:          `{"é<":"\ud83d\ude00"}`,
	} {
		object, err := rawjson.ParseObject([]byte(written))
		require.NoError(t, err)
		require.Equal(t, want, string(object.Encode()))
	}
	for _, wrong := range []string{``, `null`, `[]`, `"a"`} {
		_, err := rawjson.ParseObject([]byte(wrong))
		require.Error(t, err, wrong)
	}
}

func TestMemberIsSetInItsOldPlace(t *testing.T) {
	t.Parallel()
	object, err := rawjson.ParseObject([]byte(`{"a":1,"b":null,"c":"","d":"x"}`))
	require.NoError(t, err)
	object.Set("a", json.RawMessage(`2`))
	for _, key := range []string{"b", "c", "d", "e"} {
		object.SetDefault(key, json.RawMessage(`"new"`))
	}
	object.Add("a", json.RawMessage(`3`))
	require.Equal(t, `{"a":2,"b":"new","c":"new","d":"x","e":"new","a":3}`, string(object.Encode()))
	require.Equal(t, `2`, string(object.Get("a")))
	require.Nil(t, object.Get("z"))
}

func TestTextIsAStringOrANumber(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`"a"`: "a", `""`: "", `7`: "7", `9007199254740993`: "9007199254740993", `1.50`: "1.50",
		``: "", `null`: "", `true`: "", `{}`: "", `[1]`: "", `{`: "",
	} {
		require.Equal(t, want, rawjson.Text(json.RawMessage(raw)), raw)
	}
}

func TestStringIsJoinedAsItIsWritten(t *testing.T) {
	t.Parallel()
	var b rawjson.StringBuilder
	require.True(t, b.IsEmpty())
	require.Equal(t, `""`, string(b.Encode()))
	for _, piece := range []string{`"\ud83d"`, ``, `null`, `"\ude00"`, `{"x":1}`, `7`} {
		b.Add(json.RawMessage(piece))
	}
	require.Equal(t, `"\ud83d\ude007"`, string(b.Encode()))
	require.Equal(t, "😀7", b.Text())
	b.Replace(json.RawMessage(`8`))
	require.Equal(t, "😀7", b.Text(), "only a string replaces")
	b.Replace(json.RawMessage(`"whole"`))
	require.Equal(t, "whole", b.Text())
}
