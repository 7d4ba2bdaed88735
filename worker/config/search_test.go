package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/worker/config"
)

func TestASearchProviderIsConfigured(t *testing.T) {
	t.Parallel()
	c, err := config.Load(written(t, `search: {provider: searxng, base_url: "http://${SEARX}:8080", timeout: 3s, hosts: [docs.example.com]}`, "SEARX=search.example"))
	require.NoError(t, err)
	require.Equal(t, config.Search{Provider: "searxng", BaseURL: "http://search.example:8080", Timeout: 3 * time.Second, Hosts: []string{"docs.example.com"}}, c.Search)
	require.Contains(t, c.String(), `"search":{"provider":"searxng","base_url":"http://search.example:8080","timeout":"3s","hosts":["docs.example.com"]}`)

	c, err = config.Load(quiet(t, "ERRAND_SEARCH_PROVIDER=brave", "ERRAND_SEARCH_KEY= k1 ", "ERRAND_SEARCH_HOSTS=*, wiki.internal"))
	require.NoError(t, err)
	require.Equal(t, config.Search{Provider: "brave", APIKey: "k1", Timeout: 15 * time.Second, Hosts: []string{"*", "wiki.internal"}}, c.Search)
	require.NotContains(t, c.String(), "k1")

	c, err = config.Load(written(t, `search: {hosts: []}`))
	require.NoError(t, err)
	require.Equal(t, []string{}, c.Search.Hosts, "no page may be opened")
}

func TestAKeyForSearchNeverGoesToAnAddressFromElsewhere(t *testing.T) {
	t.Parallel()
	c, err := config.Load(written(t, `search: {provider: brave, base_url: "http://proxy.example", api_key: "${FILE_KEY}", timeout: 4s}`,
		"FILE_KEY=from-file", "ERRAND_SEARCH_PROVIDER=brave", "ERRAND_SEARCH_KEY=from-environment"))
	require.NoError(t, err)
	require.Equal(t, config.Search{Provider: "brave", APIKey: "from-environment", Timeout: 4 * time.Second, Hosts: []string{"found"}}, c.Search)
}

func TestFaultsOfASearchProviderNameTheirKey(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{provider: google}`:                                            `search.provider: "google": must be one of searxng, brave`,
		`{provider: searxng}`:                                           "search.base_url (ERRAND_SEARCH_URL): required for searxng",
		`{provider: brave}`:                                             "search.api_key (ERRAND_SEARCH_KEY): required for brave",
		`{base_url: "http://x.example"}`:                                "search.provider (ERRAND_SEARCH_PROVIDER): required",
		`{provider: searxng, base_url: nowhere}`:                        "search.base_url: ",
		`{provider: brave, api_key: "${NOT_SET}"}`:                      "search.api_key: ${NOT_SET}",
		`{provider: brave, key: x}`:                                     "search.key: unknown key",
		`{hosts: ["http://x"]}`:                                         "search.hosts[0]: ",
		`{provider: searxng, base_url: "http://x.example", api_key: k}`: "searxng takes no key",
	} {
		_, err := config.Load(written(t, "search: "+text))
		require.ErrorContains(t, err, want, text)
	}
	brave := config.Config{Search: config.Search{Provider: "brave"}}
	require.ErrorContains(t, brave.WithDefaults().Faults(), "required for brave")
	searxng := config.Config{Search: config.Search{Provider: "searxng", BaseURL: "http://127.0.0.1:1"}}
	require.Empty(t, searxng.WithDefaults().Faults())
}
