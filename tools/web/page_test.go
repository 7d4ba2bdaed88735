package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/web"
)

const document = `<!doctype html><html><head><title>The &lt;Guide&gt;</title><style>p{}</style></head><body>
<nav><a href="/home">Home</a> <a href="#top">Top</a></nav>
<h1>Install</h1><p>Run   <b>it</b> &amp; wait.<script>alert("x")</script></p>
<ul><li>one</li><li>two <a href="https://other.example/x?a=1&amp;b=2">link</a></li></ul>
<pre>if x:
    go()</pre><table><tr><td>a</td><td>b</td></tr></table><noscript>enable it</noscript>
<!-- a comment --><a href="javascript:x()">do</a></body></html>`

// site serves pages, and is a worker's source that may read from it.
func site(t *testing.T, hosts ...string) (*server, *web.Source) {
	t.Helper()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/guide":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, document)
		case "/latin":
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			_, _ = w.Write([]byte("<title>caf\xe9</title><p>na\xefve"))
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprint(w, `{"a":1}`)
		case "/picture":
			w.Header().Set("Content-Type", "image/png")
			_, _ = fmt.Fprint(w, "\x89PNG")
		case "/long":
			w.Header().Set("Content-Type", "text/plain")
			_, _ = fmt.Fprint(w, strings.Repeat("日本語 ", 20000)+"needle"+strings.Repeat(" x", 1000))
		case "/huge":
			w.Header().Set("Content-Type", "text/plain")
			for range 50 {
				_, _ = fmt.Fprint(w, strings.Repeat("y", 1<<20))
			}
		case "/private":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		case "/away":
			http.Redirect(w, r, strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1)+"/guide", http.StatusFound)
		default:
			http.Error(w, "no <b>such</b> page", http.StatusNotFound)
		}
	})
	return at, source(t, web.Config{Provider: web.SearXNG, BaseURL: at.URL, Hosts: hosts, HostsSetting: "search.hosts"})
}

func TestAPageIsReadAsText(t *testing.T) {
	t.Parallel()
	at, s := site(t, "127.0.0.1")
	out, err := call(t, s, tools.WebSearch{}, fmt.Sprintf(`{"action":"open_page","url":%q}`, at.URL+"/guide"))
	require.NoError(t, err)
	require.Equal(t, "The <Guide>\n"+at.URL+"/guide\n\n[Home]("+at.URL+"/home) Top\n# Install\nRun it & wait.\n- one\n"+
		"- two [link](https://other.example/x?a=1&b=2)\n```\nif x:\n    go()\n```\na b\ndo", content(t, out))
	require.JSONEq(t, fmt.Sprintf(`{"action":{"type":"open_page","url":%q}}`, at.URL+"/guide"), string(out.Public))
	for path, want := range map[string]string{"/latin": "café\n" + at.URL + "/latin\n\nnaïve", "/json": at.URL + "/json\n\n{\"a\":1}"} {
		out, err = call(t, s, tools.WebSearch{}, fmt.Sprintf(`{"url":%q}`, at.URL+path))
		require.NoError(t, err)
		require.Equal(t, want, content(t, out))
	}
}

func TestWhatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	at, s := site(t, "127.0.0.1", "*.example.com")
	for path, want := range map[string]string{
		"/picture": "has no text that can be read (it is image/png)",
		"/gone":    "answered 404 Not Found: no <b>such</b> page",
		"/private": `the host "169.254.169.254" is not listed under search.hosts`,
		"/away":    `the host "localhost" is not listed under search.hosts`,
	} {
		_, err := call(t, s, tools.WebSearch{}, fmt.Sprintf(`{"url":%q}`, at.URL+path))
		require.ErrorContains(t, err, want)
	}
	_, err := call(t, s, tools.WebSearch{AllowedDomains: []string{"example.com"}}, fmt.Sprintf(`{"url":%q}`, at.URL+"/guide"))
	require.ErrorContains(t, err, `the host "127.0.0.1" is outside the domains that this search is limited to: example.com`)
	_, err = call(t, s, tools.WebSearch{IndexOnly: true}, fmt.Sprintf(`{"url":%q}`, at.URL+"/guide"))
	require.ErrorContains(t, err, "pages cannot be opened here")
	_, err = call(t, s, tools.WebSearch{}, `{"action":"sing","url":"x"}`)
	require.ErrorContains(t, err, `"sing" is not one of`)
}

func TestPrivateAddressesAreNotOpenedWhereEveryHostIsAllowed(t *testing.T) {
	t.Parallel()
	at, s := site(t, "*")
	_, err := call(t, s, tools.WebSearch{}, fmt.Sprintf(`{"url":%q}`, at.URL+"/guide"))
	require.ErrorContains(t, err, "private address")
	require.Empty(t, at.requests())

	at, s = site(t, "*", "127.0.0.1")
	_, err = call(t, s, tools.WebSearch{}, fmt.Sprintf(`{"url":%q}`, at.URL+"/private"))
	require.ErrorContains(t, err, "private address", "a redirect is held against the same rules")
	_, err = call(t, s, tools.WebSearch{AllowedDomains: []string{"127.0.0.1"}}, fmt.Sprintf(`{"url":%q}`, at.URL+"/away"))
	require.ErrorContains(t, err, `the host "localhost" is outside the domains`)
}

func TestATextIsFoundInAllOfAPage(t *testing.T) {
	t.Parallel()
	at, s := site(t, "127.0.0.1")
	out, err := call(t, s, tools.WebSearch{ContextSize: "low"}, fmt.Sprintf(`{"url":%q}`, at.URL+"/long"))
	require.NoError(t, err)
	require.Less(t, len(content(t, out)), 9<<10)
	require.Contains(t, content(t, out), "[the page goes on: find_in_page looks for a text in all of it]")
	require.NotContains(t, content(t, out), "�")

	var found struct {
		Matches []string
		Note    string
	}
	look := func(path, pattern string) {
		out, err := call(t, s, tools.WebSearch{}, fmt.Sprintf(`{"action":"find_in_page","url":%q,"pattern":%q}`, at.URL+path, pattern))
		require.NoError(t, err)
		found.Matches, found.Note = nil, ""
		require.NoError(t, json.Unmarshal([]byte(content(t, out)), &found))
	}
	look("/long", "NEEDLE  x")
	require.Len(t, found.Matches, 1)
	require.Len(t, []rune(found.Matches[0]), 2+200+len("needle x")+200)
	require.Contains(t, found.Matches[0], "日本語 needle x x")
	look("/long", "日本語")
	require.Len(t, found.Matches, 10)
	require.Equal(t, "there are more: only the first 10 are shown", found.Note)
	look("/guide", "absent")
	require.Equal(t, "the text is not in the page", found.Note)
	look("/huge", "absent")
	require.Equal(t, "the text is not in the part of the page that is read", found.Note)
}

func TestOnlyPagesThatASearchHasFoundAreOpened(t *testing.T) {
	t.Parallel()
	at, s := site(t, "found", "127.0.0.1")
	away := strings.Replace(at.URL, "127.0.0.1", "localhost", 1) + "/guide"
	open := func(s *web.Source, address string, found bool, options tools.WebSearch) error {
		raw, err := json.Marshal(options)
		require.NoError(t, err)
		_, err = s.Execute(t.Context(), tools.TypeWebSearch, tools.Invocation{
			Arguments: json.RawMessage(fmt.Sprintf(`{"url":%q}`, address)), Options: raw, Found: found, Progress: func(string) {},
		})
		return err
	}
	require.NoError(t, open(s, at.URL+"/guide", false, tools.WebSearch{}), "a listed host needs no search")
	err := open(s, away, false, tools.WebSearch{})
	require.ErrorContains(t, err, `the host "localhost" is not listed under search.hosts`)
	require.ErrorContains(t, err, "no search of this run has found this page: search first")
	require.ErrorContains(t, open(s, away, true, tools.WebSearch{}), "private address", "it may be read, were its address a public one")
	require.ErrorContains(t, open(s, away, true, tools.WebSearch{BlockedDomains: []string{"localhost"}}), "in a domain that this search leaves out")

	_, s = site(t, "127.0.0.1")
	err = open(s, away, true, tools.WebSearch{})
	require.ErrorContains(t, err, "not listed", "where pages are not opened for having been found, it makes no difference")
	require.NotContains(t, err.Error(), "search first")
	_, s = site(t, "found")
	require.ErrorContains(t, open(s, at.URL+"/guide", false, tools.WebSearch{}), "search first")
}
