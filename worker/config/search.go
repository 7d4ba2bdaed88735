package config

import (
	"time"

	"errand/tools"
	"errand/tools/web"
)

// Search configures web_search. Without a provider requests may declare the
// tool, and the model is not offered it.
type Search struct {
	// Provider is "searxng" or "brave"; empty: nobody searches.
	Provider string `koanf:"provider" env:"ERRAND_SEARCH_PROVIDER"`
	// BaseURL is the provider's address: required for SearXNG. Brave has one.
	BaseURL string `koanf:"base_url" env:"ERRAND_SEARCH_URL"`
	// APIKey is required for Brave.
	APIKey Secret `koanf:"api_key" env:"ERRAND_SEARCH_KEY"`
	// Timeout bounds one search; 0 means 15 seconds.
	Timeout time.Duration `koanf:"timeout"`
	// Hosts may be read by the actions open_page and find_in_page: names as for
	// fetch_url, "*" for every host with a public address, and "found" for the
	// pages that a search of the same run has found, which is what nil means.
	// Empty: pages cannot be opened.
	Hosts []string `koanf:"hosts" env:"ERRAND_SEARCH_HOSTS"`
}

func (c Search) check(all *tools.Faults) {
	if c.Provider != "" {
		checkText(all, "search.provider", c.Provider, oneOf(web.SearXNG, web.Brave))
	}
	if c.BaseURL != "" {
		checkURL(all, "search.base_url", c.BaseURL, c.BaseURL)
	}
	checkDuration(all, "search.timeout", c.Timeout)
	checkHosts(all, "search.hosts", c.Hosts)
}

func (c Search) checkTogether(all *tools.Faults) {
	switch {
	case c.Provider == "" && (c.BaseURL != "" || c.APIKey != ""):
		all.Add("search.provider (ERRAND_SEARCH_PROVIDER)", "required beside an address or a key: write searxng or brave")
	case c.Provider == web.SearXNG && c.BaseURL == "":
		all.Add("search.base_url (ERRAND_SEARCH_URL)", "required for searxng: the address of your server, such as http://127.0.0.1:8080")
	case c.Provider == web.SearXNG && c.APIKey != "":
		all.Add("search.api_key (ERRAND_SEARCH_KEY)", "searxng takes no key: remove it")
	case c.Provider == web.Brave && c.APIKey == "":
		all.Add("search.api_key (ERRAND_SEARCH_KEY)", "required for brave: a key of the Brave Search API")
	}
}

// Source makes the source that executes web_search; nil where nobody searches.
func (c Search) Source() (*web.Source, error) {
	if c.Provider == "" {
		return nil, nil
	}
	return web.New(web.Config{
		Provider: c.Provider, BaseURL: c.BaseURL, Key: string(c.APIKey), Timeout: c.Timeout,
		Hosts: c.Hosts, HostsSetting: "search.hosts (ERRAND_SEARCH_HOSTS)",
	})
}
