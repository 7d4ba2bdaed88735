package worker_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/mcp/mcpconfig"
	"errand/worker"
)

func names(offer worker.Offer) []string {
	all := make([]string, len(offer.Tools))
	for i, one := range offer.Tools {
		all[i] = one.Visible
	}
	return all
}

func TestAWorkerOffersEverythingThatItHas(t *testing.T) {
	t.Parallel()
	config := worker.Config{Search: worker.Search{Provider: "searxng", BaseURL: "http://127.0.0.1:1"}}
	w, err := worker.New(config, worker.WithModel(silent{}), worker.WithBuiltins())
	require.NoError(t, err)
	offer, err := w.Offer(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, offer.Faults)
	require.Equal(t, []string{"fetch_url", "list_files", "now", "read_file", "write_file", "web_search"}, names(offer))
	search := offer.Tools[5]
	require.Equal(t, "web_search", search.Source)
	require.True(t, search.Offered)
	require.False(t, search.Writes)
	require.Contains(t, string(search.Parameters), "find_in_page")
}

func TestAnOfferIsWhatARunWouldSee(t *testing.T) {
	t.Parallel()
	w, err := worker.New(worker.Config{}, worker.WithModel(silent{}), worker.WithBuiltins())
	require.NoError(t, err)
	offer, err := w.Offer(t.Context(), []byte(`{"model":"m","input":"go","tools":[
		{"type":"platform","name":"now","max_uses":3},{"type":"web_search"},
		{"type":"namespace","name":"crm","tools":[{"type":"function","name":"lookup"}]},{"type":"teleport"}]}`))
	require.NoError(t, err)
	require.Empty(t, offer.Faults)
	require.Equal(t, []string{"now", "web_search", "crm__lookup"}, names(offer))
	require.Equal(t, 3, offer.Tools[0].MaxUses)
	require.False(t, offer.Tools[1].Offered, "nobody searches")
	require.Equal(t, "crm.lookup", offer.Tools[2].Name)
	require.Len(t, offer.Warnings, 2)

	offer, err = w.Offer(t.Context(), []byte(`{"model":"m","tools":[{"type":"platform","name":"nope"},{"type":"function","name":"a","parameters":{"type":7}},
		{"type":"function","name":"b"},{"type":"custom","name":"b"}]}`))
	require.NoError(t, err)
	var paths []string
	for _, f := range offer.Faults {
		paths = append(paths, f.Path)
	}
	require.ElementsMatch(t, []string{"input", "tools[0].name", "tools[1].parameters", "tools[3].name"}, paths)
}

func TestAServerThatIsGoneIsAWarning(t *testing.T) {
	t.Parallel()
	config := worker.Config{MCP: worker.MCP{Servers: []mcpconfig.Server{{Name: "gone", URL: "http://127.0.0.1:1/mcp"}}}}
	w, err := worker.New(config, worker.WithModel(silent{}))
	require.NoError(t, err)
	t.Cleanup(w.Stop)
	offer, err := w.Offer(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, offer.Warnings, 1)
	require.Contains(t, offer.Warnings[0], `tools[0]: the tools of server "gone" are not offered: `)
}
