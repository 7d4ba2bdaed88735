package config

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"time"

	"errand/activities/model"
	"errand/activities/openaimodel"
	"errand/tools"
)

// Secret is text that no way of printing, logging or encoding shows: all that
// comes out is whether it is set. Convert it to a string where it is sent.
type Secret = tools.Secret

// Endpoint is a server of models and which models it serves.
type Endpoint struct {
	// Match is a pattern of path.Match for the model's name, but that * also
	// spans slashes: "gpt-*", "meta-llama/*", "*".
	Match string `koanf:"match"`
	// BaseURL is what stands before /responses or /chat/completions.
	BaseURL string `koanf:"base_url"`
	APIKey  Secret `koanf:"api_key"`
	// API is "responses" or "chat".
	API     string            `koanf:"api"`
	Headers map[string]Secret `koanf:"headers"`
	// Timeout bounds one inference; 0 means none.
	Timeout time.Duration `koanf:"timeout"`
	// Stream takes answers as streams of events, which no proxy cuts for being
	// long and no stalled server hides behind. It is off unless asked for:
	// servers that parse calls out of a model's text lose and mix up more of
	// them in pieces than in whole answers, and one that is silent while its
	// model thinks, or cannot stream at all, would run into IdleTimeout.
	Stream bool `koanf:"stream"`
	// IdleTimeout is how long a streaming server may send nothing; 0 means two
	// minutes.
	IdleTimeout time.Duration `koanf:"idle_timeout"`
}

const defaultBaseURL = "https://api.openai.com/v1"

// Serves tells whether the endpoint serves a model of this name.
func (e Endpoint) Serves(model string) bool { return matches(e.Match, model) }

// Client makes the client of the endpoint. It makes no request.
func (e Endpoint) Client() (*openaimodel.Client, error) {
	headers := make(map[string]string, len(e.Headers))
	for name, value := range e.Headers {
		headers[name] = string(value)
	}
	return openaimodel.New(openaimodel.Config{
		BaseURL: e.BaseURL, APIKey: string(e.APIKey), API: e.API, Headers: headers,
		Timeout: e.Timeout, Stream: e.Stream, IdleTimeout: e.IdleTimeout,
	})
}

// PublicURL is the base URL as it may be shown: without a user and a query,
// where people put keys.
func (e Endpoint) PublicURL() string { return withoutCredentials(e.BaseURL) }

// check looks at the endpoint whose path is at. What was read with a fault is
// not looked at again.
func (e Endpoint) check(at string, all *tools.Faults) {
	checkText(all, at+".match", e.Match, checkMatch)
	checkURL(all, at+".base_url", e.BaseURL, e.BaseURL)
	checkText(all, at+".api", e.API, checkAPI)
	checkDuration(all, at+".timeout", e.Timeout)
	checkDuration(all, at+".idle_timeout", e.IdleTimeout)
	if within(*all, at) {
		return
	}
	if e.IdleTimeout > 0 && !e.Stream {
		all.Add(at+".idle_timeout", fmt.Sprintf("%s: has no effect without stream: true: write that, or remove this", e.IdleTimeout))
		return
	}
	// The adapter knows the rest: header names, characters of a key. It names
	// its own fields, not which endpoint they are of.
	_, err := e.Client()
	var list tools.Faults
	if !errors.As(err, &list) && err != nil {
		all.Add(at, err.Error())
	}
	for _, fault := range list {
		all.Add(at, fault.String())
	}
}

// Price is what the tokens of models cost, per million, all in one currency.
type Price struct {
	// Match is a pattern as of an Endpoint.
	Match string  `koanf:"match"`
	Input float64 `koanf:"input"`
	// CachedInput is for the input tokens that the model's server had kept. 0
	// means the same as Input.
	CachedInput float64 `koanf:"cached_input"`
	Output      float64 `koanf:"output"`
}

// Price is what the tokens of a model cost.
func (c Config) Price(name string) (model.Price, bool) {
	for _, p := range c.Prices {
		if matches(p.Match, name) {
			return model.Price{Input: p.Input, CachedInput: p.CachedInput, Output: p.Output}, true
		}
	}
	return model.Price{}, false
}

// wantAmount is the fix for a price that is none.
const wantAmount = "must be an amount of money per million tokens, such as 1.25"

// maxAmount is well above every price there is, and keeps sums of costs in
// bounds.
const maxAmount = 1e6

func (p Price) check(at string, all *tools.Faults) {
	checkText(all, at+".match", p.Match, checkMatch)
	for _, one := range []struct {
		key    string
		amount float64
	}{{"input", p.Input}, {"cached_input", p.CachedInput}, {"output", p.Output}} {
		if !(one.amount >= 0 && one.amount <= maxAmount) { // NaN is neither
			all.Add(at+"."+one.key, fmt.Sprintf("%v: %s", one.amount, wantAmount))
		}
	}
}

// spanning hides slashes from path.Match. In a model's name they separate
// nothing that * should stop at.
var spanning = strings.NewReplacer("/", "\x00")

func matches(pattern, model string) bool {
	ok, err := path.Match(spanning.Replace(pattern), spanning.Replace(model))
	return ok && err == nil
}

func checkMatch(value string) string {
	if value == "" {
		return `must not be empty: write "*" for every model`
	}
	if _, err := path.Match(spanning.Replace(value), ""); err != nil {
		return `is not a pattern: close every "[" and end with no "\"`
	}
	return ""
}

// checkURL looks at the base URL that value is. What is shown of it is how it was
// written: references in it may stand for secrets.
func checkURL(all *tools.Faults, at, value, written string) {
	if within(*all, at) {
		return
	}
	parsed, err := url.Parse(value)
	fix := ""
	switch {
	case err != nil, parsed.Scheme != "http" && parsed.Scheme != "https", parsed.Hostname() == "":
		fix = "must be a URL such as http://127.0.0.1:8000/v1"
	case parsed.User != nil:
		fix = "must not hold a user: put credentials into api_key or headers"
	case parsed.RawQuery != "" || parsed.Fragment != "":
		fix = "must not hold a query or a fragment: remove it"
	default:
		return
	}
	all.Add(at, shownURL(written)+": "+fix)
}

// notURL stands for what has no host.
const notURL = "[not a URL]"

func withoutCredentials(raw string) string {
	parsed, err := url.Parse(raw)
	if err != nil || parsed.Host == "" {
		return notURL
	}
	parsed.User, parsed.RawQuery, parsed.Fragment = nil, "", ""
	return parsed.String()
}

// shownURL quotes a base URL for a message. What cannot be an address at all
// may be a key in the wrong place, so it is not shown.
func shownURL(value string) string {
	if shown := withoutCredentials(value); shown != notURL {
		return fmt.Sprintf("%q", shown)
	}
	address := strings.ContainsAny(value, ".:/$") && !strings.Contains(value, "@")
	if !address || strings.HasPrefix(value, "sk-") || strings.HasPrefix(value, "eyJ") {
		return "(not shown)"
	}
	return fmt.Sprintf("%q", value)
}
