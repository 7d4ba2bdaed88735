package openaimodel

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"errand/tools"
)

// Values of Config.API.
const (
	// Responses speaks POST <base>/responses.
	Responses = "responses"
	// Chat speaks POST <base>/chat/completions.
	Chat = "chat"
)

const defaultBaseURL = "https://api.openai.com/v1"

// Config says where a model is served and how to talk to it.
type Config struct {
	// BaseURL is what stands before /responses or /chat/completions, for
	// example http://127.0.0.1:8000/v1. Empty means OpenAI's own.
	BaseURL string
	// APIKey is sent as a bearer token. Empty: no Authorization header.
	APIKey string
	// API is Responses (also when empty) or Chat.
	API string
	// Headers are sent with every request, for example a gateway's own key.
	Headers map[string]string
	// HTTPClient replaces the package's own client, which sets no limit on
	// how long a model may think and uses no proxy. It is copied; the rule
	// against redirects to other hosts is added to the copy.
	HTTPClient *http.Client
	// Timeout bounds one request from dial to the last byte; 0 means none.
	Timeout time.Duration
	// Stream asks for the answer as a stream of events. Infer returns it as
	// whole as ever; but no proxy takes a long answer for a dead connection,
	// and a server that has stalled is noticed.
	Stream bool
	// IdleTimeout is how long a streaming server may send nothing, before its
	// answer and in the middle of it; 0 means two minutes.
	IdleTimeout time.Duration
}

// withDefaults fills in what may be left out.
func (c Config) withDefaults() Config {
	if c.BaseURL == "" {
		c.BaseURL = defaultBaseURL
	}
	if c.API == "" {
		c.API = Responses
	}
	if c.HTTPClient == nil {
		c.HTTPClient = patientClient()
	}
	if c.Stream && c.IdleTimeout == 0 {
		c.IdleTimeout = defaultIdleTimeout
	}
	return c
}

// faults lists everything wrong with c.
func (c Config) faults() tools.Faults {
	var all tools.Faults
	if message := baseURLFault(c.BaseURL); message != "" {
		all.Add("BaseURL", message)
	}
	if c.API != Responses && c.API != Chat {
		all.Add("API", fmt.Sprintf("%q is unknown; use %q or %q", c.API, Responses, Chat))
	}
	if !sendable(c.APIKey) || strings.TrimSpace(c.APIKey) != c.APIKey {
		// The key itself must not show up in a log.
		all.Add("APIKey", "holds a space at an end or a control character; remove it (often a trailing newline)")
	}
	if c.Timeout < 0 {
		all.Add("Timeout", fmt.Sprintf("%s is negative; use 0 for none", c.Timeout))
	}
	switch {
	case c.IdleTimeout < 0:
		all.Add("IdleTimeout", fmt.Sprintf("%s is negative; use 0 for %s", c.IdleTimeout, defaultIdleTimeout))
	case c.IdleTimeout > 0 && !c.Stream:
		all.Add("IdleTimeout", "has no effect without Stream; set that, or remove this")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		if message := c.headerFault(name); message != "" {
			all.Add(fmt.Sprintf("Headers[%q]", name), message)
		}
	}
	return all
}

// baseURLFault says what is wrong with a base URL without repeating it, since
// it may hold a password. It is empty for a good one.
func baseURLFault(raw string) string {
	parsed, err := url.Parse(raw)
	switch {
	case err != nil:
		return "is not a URL; use one such as http://127.0.0.1:8000/v1"
	case parsed.Scheme != "http" && parsed.Scheme != "https", parsed.Hostname() == "":
		return "needs http:// or https:// and a host, such as http://127.0.0.1:8000/v1"
	case parsed.User != nil:
		return "holds a user; use APIKey or Headers for credentials"
	case parsed.RawQuery != "" || parsed.Fragment != "":
		return "holds a query or a fragment, which would not be sent; remove it"
	}
	for _, path := range []string{"/responses", "/chat/completions"} {
		if strings.HasSuffix(strings.TrimRight(parsed.Path, "/"), path) {
			return fmt.Sprintf("ends in %s, which is added to it; remove that", path)
		}
	}
	return ""
}

// headerName is a token of RFC 9110.
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// ownHeaders are set by each request.
var ownHeaders = []string{"Content-Type", "Content-Length", "Host", "Idempotency-Key"}

// headerFault says what is wrong with one of the headers, if anything.
func (c Config) headerFault(name string) string {
	canonical := http.CanonicalHeaderKey(name)
	switch {
	case !headerName.MatchString(name):
		return "is not a header name; use letters, digits and dashes"
	case !sendable(c.Headers[name]):
		return "its value holds a control character; remove it"
	case slices.Contains(ownHeaders, canonical):
		return "is set by each request; remove it"
	case canonical == "Authorization" && c.APIKey != "":
		return "APIKey sets this header too; keep one of them"
	}
	return ""
}

// sendable tells whether net/http accepts a header value.
func sendable(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r != '\t' && (r < ' ' || r == 0x7f) })
}
