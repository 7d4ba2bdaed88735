package item_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/item"
)

var pages = map[string]string{
	"https://a.example/x":     "Page A",
	"https://b.example/":      "",
	"https://c.example/q?a=1": "C",
	"https://d.example/f(g)":  "D",
}

func TestAddressesOfKnownPagesAreCited(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"See https://a.example/x.":                                   {"https://a.example/x|Page A"},
		"(https://a.example/x), or https://b.example":                {"https://a.example/x|Page A", "https://b.example|https://b.example"},
		"é [A page](https://a.example/x) and more":                   {"[A page](https://a.example/x)|Page A"},
		"**https://c.example/q?a=1**":                                {"https://c.example/q?a=1|C"},
		"日本 https://d.example/f(g)。":                                 {"https://d.example/f(g)|D"},
		"[1]: <https://a.example/x>":                                 {"https://a.example/x|Page A"},
		"twice https://a.example/x https://a.example/x":              {"https://a.example/x|Page A", "https://a.example/x|Page A"},
		"[https://a.example/x](https://a.example/x) end":             {"https://a.example/x|Page A"},
		"https://a.example/xy https://a.example/ http://a.example/x": nil,
		"nothing": nil,
		"http":    nil,
		"":        nil,
	} {
		raw := item.Cite(item.Message("assistant", text), pages)
		require.Equal(t, want, cut(t, raw, text), text)
	}
}

// cut is what the citations of a message cover, and their titles.
func cut(t *testing.T, raw json.RawMessage, text string) []string {
	t.Helper()
	var m struct {
		Content []struct {
			Text        string `json:"text"`
			Annotations []struct {
				Type, URL, Title string
				Start            int `json:"start_index"`
				End              int `json:"end_index"`
			} `json:"annotations"`
		} `json:"content"`
	}
	require.NoError(t, json.Unmarshal(raw, &m))
	require.Equal(t, text, m.Content[0].Text)
	var all []string
	for _, a := range m.Content[0].Annotations {
		require.Equal(t, "url_citation", a.Type)
		require.Contains(t, pages, a.URL)
		all = append(all, string([]rune(text)[a.Start:a.End])+"|"+a.Title)
	}
	return all
}

func TestWhatIsNotToBeCitedStaysByteForByte(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"type":"message","role":"assistant","content":[ {"type":"output_text","text":"no address"} ]}`,
		`{"type":"message","role":"assistant","content":"https://a.example/x"}`,
		`{"type":"reasoning","content":[{"type":"output_text","text":"https://a.example/x"}]}`,
		`{"type":"message","content":[{"type":"refusal","refusal":"https://a.example/x"},7]}`,
		`{"type":"message","content":{}}`, `7`,
	} {
		require.Equal(t, raw, string(item.Cite(json.RawMessage(raw), pages)))
	}
}

func TestAnnotationsOfTheModelAreKept(t *testing.T) {
	t.Parallel()
	raw := item.Cite(json.RawMessage(`{"type":"message","id":"m","content":[{"type":"output_text","text":"https://a.example/x","annotations":[{"type":"file_citation"}],"logprobs":[]}]}`), pages)
	require.JSONEq(t, `{"type":"message","id":"m","content":[{"type":"output_text","text":"https://a.example/x","logprobs":[],
		"annotations":[{"type":"file_citation"},{"type":"url_citation","url":"https://a.example/x","title":"Page A","start_index":0,"end_index":19}]}]}`, string(raw))
}

func TestCitationsAreBounded(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("https://a.example/x ", 300)
	require.Len(t, cut(t, item.Cite(item.Message("assistant", text), pages), text), 200)
}

func TestSourcesOfASearchCall(t *testing.T) {
	t.Parallel()
	found := []item.Source{{URL: "https://a.example", Title: "A"}, {URL: "https://b.example"}}
	raw := item.WebSearchCall("ws_1_0", "completed", item.Search("q", found))
	require.Equal(t, `{"type":"web_search_call","id":"ws_1_0","status":"completed","action":{"type":"search","query":"q","queries":["q"],"sources":[{"type":"url","url":"https://a.example","title":"A"},{"type":"url","url":"https://b.example"}]}}`, string(raw))
	require.Equal(t, found, item.Sources(raw))
	require.Equal(t, []item.Source{{URL: "https://a.example"}}, item.Sources(item.WebSearchCall("w", "completed", item.FindInPage("https://a.example", "x"))))
	require.Empty(t, item.Sources(item.WebSearchCall("w", "failed", item.Search("q", found))))
	require.Empty(t, item.Sources(item.Message("assistant", strconv.Itoa(1))))
}
