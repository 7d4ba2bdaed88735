package worker

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap/zapcore"

	"errand/tools"
	"errand/tools/web"
)

// Search configures web_search. Without a provider requests may declare the
// tool, and the model is not offered it.
type Search struct {
	// Provider is "searxng" or "brave"; empty: nobody searches.
	Provider string
	// BaseURL is the provider's address: required for SearXNG. Brave has one.
	BaseURL string
	// APIKey is required for Brave.
	APIKey Secret
	// Timeout bounds one search; 0 means 15 seconds.
	Timeout time.Duration
	// Hosts may be read by the actions open_page and find_in_page: names as for
	// fetch_url, "*" for every host with a public address, and "found" for the
	// pages that a search of the same run has found, which is what nil means.
	// Empty: pages cannot be opened.
	Hosts []string
}

const searchHosts = "search.hosts (ERRAND_SEARCH_HOSTS)"

func checkProvider(value string) string {
	if value == "" {
		return ""
	}
	return oneOf(web.SearXNG, web.Brave)(value)
}

// searchSection reads the section of the file, or that of the environment. One
// that says who searches replaces what the other says about it as a whole: a
// key must not go to an address from another place.
func (l *loader) searchSection(s *section, references bool) {
	c := &l.config.Search
	for _, key := range []string{"provider", "base_url", "api_key", "api_key_env"} {
		if s.values[key] != nil {
			c.Provider, c.BaseURL, c.APIKey = "", "", ""
		}
	}
	s.text("provider", &c.Provider, checkProvider)
	if references {
		var e Endpoint
		l.baseURL(s, &e)
		c.BaseURL = orKept(e.BaseURL, c.BaseURL)
		c.APIKey = orKept(l.apiKey(s), c.APIKey)
	} else {
		var e Endpoint
		l.environmentURL(s, &e)
		c.BaseURL = orKept(e.BaseURL, c.BaseURL)
		key, _ := s.plain("api_key")
		c.APIKey = orKept(Secret(strings.TrimSpace(key)), c.APIKey)
	}
	s.duration("timeout", &c.Timeout)
	s.texts("hosts", &c.Hosts, checkHost)
	s.finish()
}

func orKept[T comparable](value, kept T) T {
	var zero T
	if value == zero {
		return kept
	}
	return value
}

// faults checks what one setting alone cannot tell.
func (c Search) faults(all *tools.Faults) {
	before := len(*all)
	reportText(all, "search.provider", c.Provider, checkProvider)
	for i, host := range c.Hosts {
		reportText(all, fmt.Sprintf("search.hosts[%d]", i), host, checkHost)
	}
	if c.BaseURL != "" {
		if complaint := checkURL(c.BaseURL); complaint != "" {
			all.Add("search.base_url", shownURL(c.BaseURL)+": "+complaint)
		}
	}
	if complaint := tools.DurationFault(c.Timeout); complaint != "" {
		all.Add("search.timeout", complaint)
	}
	if len(*all) > before {
		return
	}
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

// source is the one that executes web_search; nil where nobody searches.
func (c Search) source(faults *tools.Faults) *web.Source {
	if c.Provider == "" {
		return nil
	}
	source, err := web.New(c.web())
	if err != nil { // the check of the configuration has said why
		faults.Add("search", err.Error())
		return nil
	}
	return source
}

func (c Search) web() web.Config {
	return web.Config{
		Provider: c.Provider, BaseURL: c.BaseURL, Key: string(c.APIKey), Timeout: c.Timeout,
		Hosts: c.Hosts, HostsSetting: searchHosts,
	}
}

// MarshalLogObject writes the section to a zap log without its key.
func (c Search) MarshalLogObject(out zapcore.ObjectEncoder) error {
	out.AddString("provider", c.Provider)
	if c.BaseURL != "" {
		out.AddString("base_url", withoutCredentials(c.BaseURL))
	}
	if c.Provider == web.Brave {
		out.AddString("api_key", c.APIKey.String())
	}
	out.AddDuration("timeout", c.Timeout)
	return out.AddArray("hosts", texts(slices.Clone(c.Hosts)))
}
