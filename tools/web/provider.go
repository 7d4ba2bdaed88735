package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"errand/tools"
)

// Names of providers.
const (
	SearXNG = "searxng"
	Brave   = "brave"
)

// Found is the word in Config.Hosts for pages that a search has found.
const Found = "found"

// Config says who searches, and which pages may be opened.
type Config struct {
	// Provider is SearXNG or Brave.
	Provider string
	// BaseURL is the provider's address: required for SearXNG, where an own
	// server stands; Brave has one of its own.
	BaseURL string
	// Key is sent to Brave. SearXNG needs none.
	Key string
	// Timeout bounds one search, repeats included; 0 means 15 s.
	Timeout time.Duration
	// Hosts may be read by open_page and find_in_page, in the words of
	// hosts.List. Found among them stands for the pages, with public addresses,
	// that a search of the same run has found. None: those actions are not
	// offered.
	Hosts []string
	// HostsSetting is what a refusal calls that list.
	HostsSetting string
	// HTTPClient, if not nil, carries the requests to the provider.
	HTTPClient *http.Client
}

// provider searches the web.
type provider interface {
	// search gives at most limit results, best first. An error says what the
	// provider answered; the model reads it.
	search(ctx context.Context, q query) (answer, error)
}

// query is one search.
type query struct {
	text   string
	limit  int
	wanted tools.WebSearch
}

// answer is what a provider found.
type answer struct {
	results []result
	// notes are what the provider says beside its results.
	notes []string
}

// result is one page that a provider found. Its texts may hold markup.
type result struct {
	url, title, text, date string
}

func newProvider(c Config) (provider, error) {
	e := endpoint{client: c.HTTPClient, timeout: c.Timeout}
	if e.timeout == 0 {
		e.timeout = 15 * time.Second
	}
	if e.client == nil {
		e.client = newClient()
	}
	base := c.BaseURL
	if base == "" && c.Provider == Brave {
		base = braveURL
	}
	if err := e.at(base); err != nil {
		return nil, err
	}
	switch c.Provider {
	case SearXNG:
		e.name = "SearXNG"
		return searxng{e}, nil
	case Brave:
		if c.Key == "" {
			return nil, fmt.Errorf("the provider %s needs a key", Brave)
		}
		e.name, e.header = "Brave Search", http.Header{"X-Subscription-Token": {c.Key}}
		return brave{e}, nil
	}
	return nil, fmt.Errorf("%q is not a search provider: %s and %s are", c.Provider, SearXNG, Brave)
}
