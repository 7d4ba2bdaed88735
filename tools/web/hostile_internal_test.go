package web

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
)

// farAway is an address of 4 KB, which every relative link of a page repeats.
var farAway = "https://example.com/" + strings.Repeat("d/", 1980)

// allocated is how many bytes a function allocates. Nothing else may run.
func allocated(run func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// It counts what the whole process allocates, so it runs alone.
func TestTheWorkOnAPageGrowsWithItsSizeAlone(t *testing.T) {
	const small, factor = 32 << 10, 8
	large := hostilePages(factor * small)
	for name, page := range hostilePages(small) {
		work := func(page string) uint64 {
			return allocated(func() {
				_, text, _, err := readHTML(t.Context(), []byte(page), "text/html; charset=utf-8", farAway)
				require.NoError(t, err)
				require.LessOrEqual(t, len(text), maxText)
			})
		}
		few, many := work(page), work(large[name])
		require.Less(t, many, 2*factor*few+(64<<20), "%s: %d bytes for %d, %d for %d", name, few, small, many, factor*small)
	}
	few := allocated(func() { find(strings.Repeat("a", small), strings.Repeat("a", 300)+"b") })
	require.Less(t, few, uint64(1<<20))
}

func TestReadingAPageStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, text, _, err := readHTML(ctx, []byte(strings.Repeat("<p>x", 100)), "text/html", farAway)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, text)
}

func TestThePartsOfAPageAreBounded(t *testing.T) {
	t.Parallel()
	read := func(page, address string) (string, string, bool) {
		title, text, cut, err := readHTML(t.Context(), []byte(page), "text/html; charset=utf-8", address)
		require.NoError(t, err)
		return title, text, cut
	}
	const home = "https://example.com/"
	title, _, _ := read("<title>"+strings.Repeat("ż", 5000)+"</title>", home)
	require.Len(t, []rune(title), maxTitle+1)
	_, text, _ := read("<a href=/"+strings.Repeat("x", maxTarget)+">far</a> <a href=/near>near</a>", home)
	require.Equal(t, "far [near](https://example.com/near)", text)
	_, text, _ = read("<a href=/near>near</a>", "https://example.com/"+strings.Repeat("x", maxAddress))
	require.Equal(t, "near", text)
	_, text, _ = read(strings.Repeat("<p><a href=/a>b</a>", maxLinks+1), home)
	require.Equal(t, maxLinks, strings.Count(text, "[b](https://example.com/a)"))
	require.True(t, strings.HasSuffix(text, ")\nb"), "a link beyond the bound keeps its text")
	_, text, cut := read(strings.Repeat("<p>żółw</p>", 200_000), home)
	require.True(t, cut)
	require.InDelta(t, maxText, len(text), 10)
	require.Equal(t, tools.Clean(text), text)
	_, text, _ = read("<a href=/a>one <a href=/b>two</a> <a href=/c>three<p>four</a>", home)
	require.Equal(t, "one [two](https://example.com/b) three\nfour", text, "a link that is not closed is text")
}

func TestResultsOfASearchAreBounded(t *testing.T) {
	t.Parallel()
	var found []result
	for i := range 3 * maxConsidered {
		found = append(found, result{url: fmt.Sprintf("https://other.example/%d", i)})
	}
	found = append(found, result{url: "https://example.com/"})
	require.Empty(t, kept(found, tools.WebSearch{AllowedDomains: []string{"example.com"}}, amounts["high"]))
	one := kept([]result{{url: "https://example.com/", text: strings.Repeat("<b>", 1<<20) + "x"}}, tools.WebSearch{}, amounts["low"])
	require.Less(t, len(one[0].Text), 3, "markup is cut before it is read")
	require.Less(t, len(engines([]any{strings.Repeat("x", 1<<20), []any{strings.Repeat("y", 1<<20)}})), 300)
}

func TestADomainIsItselfAndWhatIsBelow(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{"a.example": true, "x.a.example": true, "xa.example": false, "example": false, "a.example.com": false} {
		require.Equal(t, want, below(host, []string{"a.example"}), host)
	}
}

// hostilePages are pages whose text costs far more than their size where a
// reader is careless.
func hostilePages(size int) map[string]string {
	fill := func(one string) string { return strings.Repeat(one, size/len(one)) }
	return map[string]string{
		"links":       fill("<a href=b>x</a>"),
		"empty links": fill("<a href=b></a>"),
		"same page":   fill("<a href=?>x</a>"),
		"nested":      fill("<a href=b>x"),
		"pre":         fill("<pre>x</pre>"),
		"blocks":      fill("<p>x"),
		"attributes":  "<a " + fill("b=c ") + ">x</a>",
		"title":       "<title>" + fill("x ") + "</title>y",
		"unseen":      fill("<svg>"),
		"spaces":      fill("  "),
	}
}

// BenchmarkHostilePage prints what 64 KiB of each hostile page at a long address cost.
func BenchmarkHostilePage(b *testing.B) {
	for name, page := range hostilePages(64 << 10) {
		b.Run(strings.ReplaceAll(name, " ", "_"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, _, _ = readHTML(b.Context(), []byte(page), "text/html; charset=utf-8", farAway)
			}
		})
	}
}

func BenchmarkFindInPage(b *testing.B) {
	text, pattern := strings.Repeat("a", 1<<20), strings.Repeat("a", 499)+"b"
	b.ReportAllocs()
	for b.Loop() {
		find(text, pattern)
	}
}
