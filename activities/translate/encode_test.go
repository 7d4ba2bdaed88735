package translate

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/tools"
	"errand/tools/item"
)

func testTranslator() *Translator {
	var names []Name
	var shown []model.FunctionTool
	for _, d := range []tools.Declaration{
		{Type: tools.TypeFunction, Name: "get.flight"},
		{Type: tools.TypeCustom, Name: "patch"},
		{Type: tools.TypeFunction, Namespace: "crm", Name: "lookup"},
		{Type: tools.TypeCustom, Namespace: "crm", Name: "note"},
	} {
		c := tools.ClientDescriptor(d)
		names = append(names, Name{Visible: c.ModelName, Identity: c.Identity(), Type: c.Type})
		shown = append(shown, model.FunctionTool{Name: c.ModelName})
	}
	return New(Surface{Names: names, Tools: append(shown, model.FunctionTool{Name: "plain"}, model.FunctionTool{Name: "web_search"})})
}

func TestConversationGoesOutInTheModelsShapes(t *testing.T) {
	t.Parallel()
	b := testTranslator()
	flight := tools.FlatName(tools.Identity{Name: "get.flight"})
	for name, row := range map[string]struct{ in, want string }{
		"a plain call is left alone":      {`{"type":"function_call", "call_id":"c","name":"plain","arguments":"{ }"}`, `{"type":"function_call", "call_id":"c","name":"plain","arguments":"{ }"}`},
		"a renamed call":                  {`{"type":"function_call","call_id":"c","name":"get.flight","arguments":"{}"}`, `{"arguments":"{}","call_id":"c","name":"` + flight + `","type":"function_call"}`},
		"a member of a namespace":         {`{"type":"function_call","call_id":"c","namespace":"crm","name":"lookup","arguments":"{}"}`, `{"arguments":"{}","call_id":"c","name":"crm__lookup","type":"function_call"}`},
		"an undeclared member":            {`{"type":"function_call","call_id":"c","namespace":"old","name":"f","arguments":"{}"}`, `{"arguments":"{}","call_id":"c","name":"old__f","type":"function_call"}`},
		"a custom call":                   {`{"type":"custom_tool_call","id":"ctc_9","call_id":"c","name":"patch","input":"a\"b"}`, `{"arguments":"{\"input\":\"a\\\"b\"}","call_id":"c","id":"fc_9","name":"patch","type":"function_call"}`},
		"a custom call with a foreign id": {`{"type":"custom_tool_call","id":"x9","call_id":"c","namespace":"crm","name":"note","input":""}`, `{"arguments":"{\"input\":\"\"}","call_id":"c","name":"crm__note","type":"function_call"}`},
		"a custom output":                 {`{"type":"custom_tool_call_output","call_id":"c","output":"x"}`, `{"call_id":"c","output":"x","type":"function_call_output"}`},
		"arguments that are not JSON":     {`{"type":"function_call","call_id":"c","name":"plain","arguments":"{oops"}`, `{"arguments":"{}","call_id":"c","name":"plain","type":"function_call"}`},
		"anything else":                   {`{"type":"reasoning","summary":[],"vendor":1}`, `{"type":"reasoning","summary":[],"vendor":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, row.want, string(b.Encode([]json.RawMessage{json.RawMessage(row.in)})[0]))
		})
	}
}

func TestSearchesOfAnEarlierOutputGoOutAsCalls(t *testing.T) {
	t.Parallel()
	search := item.WebSearchCall("ws_1_0", "completed", item.Search("q", []item.Source{{URL: "https://a.example", Title: "A"}}))
	page := item.WebSearchCall("ws_1_0", "failed", item.FindInPage("https://a.example", "x"))
	var out []string
	for _, it := range testTranslator().Encode([]json.RawMessage{search, item.Message("user", "go on"), page}) {
		out = append(out, string(it))
	}
	require.Equal(t, []string{
		`{"type":"function_call","call_id":"ws_1_0_0","name":"web_search","arguments":"{\"action\":\"search\",\"query\":\"q\"}"}`,
		`{"type":"function_call_output","call_id":"ws_1_0_0","output":"{\"status\":\"completed\",\"sources\":[{\"type\":\"url\",\"url\":\"https://a.example\",\"title\":\"A\"}]}"}`,
		string(item.Message("user", "go on")),
		`{"type":"function_call","call_id":"ws_1_0_2","name":"web_search","arguments":"{\"action\":\"find_in_page\",\"url\":\"https://a.example\",\"pattern\":\"x\"}"}`,
		`{"type":"function_call_output","call_id":"ws_1_0_2","output":"{\"status\":\"failed\"}"}`,
	}, out)
}

func TestChoiceGoesOutInTheModelsNames(t *testing.T) {
	t.Parallel()
	b := testTranslator()
	for in, want := range map[string]string{
		`"auto"`: `"auto"`, `"required"`: `"required"`,
		`{"type":"function","name":"plain"}`:                    `{"type":"function","name":"plain"}`,
		`{"type":"platform","name":"plain"}`:                    `{"type":"function","name":"plain"}`,
		`{"type":"custom","name":"patch"}`:                      `{"type":"function","name":"patch"}`,
		`{"type":"function","namespace":"crm","name":"lookup"}`: `{"type":"function","name":"crm__lookup"}`,
		`{"type":"function","name":"crm.lookup"}`:               `{"type":"function","name":"crm__lookup"}`,
		`{"type":"web_search_preview"}`:                         `{"type":"function","name":"web_search"}`,
		`{"type":"mcp","server_label":"db"}`:                    `"auto"`,
		`{"type":"allowed_tools","mode":"required","tools":[{"type":"custom","name":"patch"},{"type":"mcp","server_label":"db"}]}`: `{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"patch"}]}`,
		`{"type":"allowed_tools","mode":"auto","tools":[{"type":"mcp","server_label":"db"}]}`:                                      `"none"`,
	} {
		require.JSONEq(t, want, string(b.EncodeChoice(json.RawMessage(in))), in)
	}
}

// FuzzNamesGoBothWays: whatever two tools are called, the model sees two
// different valid names, and each comes back as the tool that it was.
func FuzzNamesGoBothWays(f *testing.F) {
	f.Add("crm", "lookup", "", "crm__lookup")
	f.Add("", "get.flight", "", "get_flight")
	f.Add("", "", "a", "b")
	f.Add("a", "b__c", "a__b", "c")
	f.Fuzz(func(t *testing.T, ns1, name1, ns2, name2 string) {
		var entries []tools.Entry
		for _, id := range []tools.Identity{{Namespace: ns1, Name: name1}, {Namespace: ns2, Name: name2}} {
			if !utf8.ValidString(id.Namespace + "|" + id.Name) {
				return // names come out of JSON
			}
			entries = append(entries, tools.Entry{Descriptor: tools.ClientDescriptor(
				tools.Declaration{Type: tools.TypeFunction, Namespace: id.Namespace, Name: id.Name})})
		}
		registry, _, clashes := tools.NewRegistry(entries, tools.DuplicatesError)
		if len(clashes) > 0 {
			return // refused, and said so
		}
		var s Surface
		for _, d := range registry.All() {
			if !tools.ValidName(d.ModelName) {
				t.Fatalf("%q is shown to the model", d.ModelName)
			}
			s.Tools = append(s.Tools, model.FunctionTool{Name: d.ModelName})
			s.Names = append(s.Names, Name{Visible: d.ModelName, Identity: d.Identity(), Type: d.Type})
		}
		b := New(s)
		for _, d := range registry.All() {
			call := item.FunctionCall("c", b.visible(d.Identity()), "{}")
			back, _ := b.Decode([]json.RawMessage{call}, 1)
			head, err := item.Peek(back[0])
			if err != nil || head.Name != d.Name || head.Namespace != d.Namespace {
				t.Fatalf("%+v came back as %+v (%v)", d.Identity(), head, err)
			}
		}
	})
}
