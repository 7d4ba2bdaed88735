package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/mcp/mcpconfig"
)

func TestResultsBecomeText(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("A", maxMedia+1)
	for name, row := range map[string]struct{ in, media, want string }{
		"text blocks":                {in: `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, want: "a\nb"},
		"text before structure":      {in: `{"content":[{"type":"text","text":"a"}],"structuredContent":{"x":1}}`, want: "a"},
		"structure in order":         {in: `{"content":[],"structuredContent":{"b":1,"a":9007199254740993,"c":"<&>"}}`, want: `{"a":9007199254740993,"b":1,"c":"<&>"}`},
		"structure that is a list":   {in: `{"structuredContent":[1]}`, want: `[1]`},
		"an image":                   {in: `{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`, want: "[image image/png: 3 bytes, not shown]"},
		"an image, and structure":    {in: `{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}],"structuredContent":{"x":1}}`, want: "{\"x\":1}\n[image image/png: 3 bytes, not shown]"},
		"an image as data":           {in: `{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`, media: mcpconfig.MediaData, want: "data:image/png;base64,AAAA"},
		"a sound that is too large":  {in: `{"content":[{"type":"audio","mimeType":"audio/wav","data":"` + big + `"}]}`, media: mcpconfig.MediaData, want: "[audio audio/wav: 196608 bytes, not shown]"},
		"a link":                     {in: `{"content":[{"type":"resource_link","uri":"file:///a","name":"A","mimeType":"text/plain"}]}`, want: "[resource A: file:///a (text/plain)]"},
		"an embedded text":           {in: `{"content":[{"type":"resource","resource":{"uri":"u","text":"inside"}}]}`, want: "inside"},
		"an embedded blob":           {in: `{"content":[{"type":"resource","resource":{"uri":"u","mimeType":"a/b","blob":"AAAA"}}]}`, want: "[resource u (a/b): 3 bytes that are not text, not shown]"},
		"an unknown block":           {in: `{"content":[{"type":"x","b":1,"a":2}]}`, want: `{"a":2,"b":1,"type":"x"}`},
		"content that is no list":    {in: `{"content":"plain"}`, want: "plain"},
		"no content at all":          {in: `{}`, want: ""},
		"content that is null":       {in: `{"content":null,"structuredContent":{"x":1}}`, want: `{"x":1}`},
		"a text that is not a text":  {in: `{"content":[{"type":"text","text":7}]}`, want: `{"text":7,"type":"text"}`},
		"a resource without content": {in: `{"content":[{"type":"resource"}]}`, want: `{"type":"resource"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, failure := readResult(json.RawMessage(row.in))
			require.Nil(t, failure)
			require.Equal(t, row.want, r.text(row.media))
		})
	}
	for _, refused := range []string{`{"resultType":"input_required"}`, `{"resultType":"new"}`, `{"task":{}}`, `[]`} {
		_, failure := readResult(json.RawMessage(refused))
		require.NotNil(t, failure, refused)
	}
}

func TestFiltersAndPolicies(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		policy         string
		name           string
		readOnly, want bool
	}{
		{policy: `"always"`, name: "a", want: true},
		{policy: `"never"`, name: "a"},
		{policy: `{"never":{"tool_names":["a"]}}`, name: "a"},
		{policy: `{"never":{"tool_names":["a"]}}`, name: "b", want: true},
		{policy: `{"always":{"tool_names":["a"]}}`, name: "a", want: true},
		{policy: `{"always":{"tool_names":["a"]}}`, name: "b"},
		{policy: `{"always":["a"],"never":["a"]}`, name: "a", want: true},
		{policy: `{"never":{"read_only":true}}`, name: "a", readOnly: true},
		{policy: `{"never":{"read_only":true}}`, name: "a", want: true},
		{policy: `{}`, name: "a", want: true},
		{policy: `7`, name: "a", want: true},
	} {
		require.Equal(t, row.want, needsApproval(json.RawMessage(row.policy), row.name, row.readOnly), "%s %s", row.policy, row.name)
	}
	require.False(t, needsApproval(nil, "a", false))
	require.True(t, allowed(nil, "a", false))
	require.False(t, allowed(json.RawMessage(`[]`), "a", false))
	require.True(t, allowed(json.RawMessage(`{"tool_names":["a"],"read_only":true}`), "a", true))
	require.False(t, allowed(json.RawMessage(`{"tool_names":["a"],"read_only":true}`), "a", false))
}
