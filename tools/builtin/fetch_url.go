package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"errand/tools"
	"errand/tools/hosts"
	"errand/tools/platform"
)

const (
	maxBody      = 1 << 20
	maxRedirects = 5
	fetchTimeout = 30 * time.Second
)

// fetchURLTool reads a page of the hosts that the configuration lists.
func fetchURLTool(allowed hosts.List, client *http.Client) platform.Tool {
	type arguments struct {
		URL string `json:"url"`
	}
	f := newFetcher(allowed, client)
	return platform.Tool{
		Name:        "fetch_url",
		Description: "Reads a text document from the web by HTTP GET and returns its body.",
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["url"],"properties":{
			"url":{"type":"string","minLength":1,"description":"http or https address"}}}`),
		Effect: tools.EffectRead, ReadOnly: true, ParallelSafe: true,
		Execute: platform.Func(func(ctx context.Context, in arguments) (any, error) {
			return f.fetch(ctx, in.URL)
		}),
	}
}

type fetcher struct {
	allowed hosts.List
	client  *http.Client
	timeout time.Duration
}

func newFetcher(allowed hosts.List, client *http.Client) *fetcher {
	f := &fetcher{allowed: allowed, timeout: fetchTimeout}
	if client == nil {
		// No proxy: it would resolve the names, and the check of addresses
		// would look at the proxy's own.
		client = &http.Client{Transport: &http.Transport{
			DialContext: allowed.Dial, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
			MaxIdleConns: 20, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10,
		}}
	}
	own := *client
	own.CheckRedirect = f.redirect
	f.client = &own
	return f
}

func (f *fetcher) redirect(next *http.Request, before []*http.Request) error {
	if len(before) > maxRedirects {
		return fmt.Errorf("url: more than %d redirects", maxRedirects)
	}
	if err := f.allowed.Check(next.URL); err != nil {
		return fmt.Errorf("redirect to %s: %w", next.URL.Redacted(), err)
	}
	return nil
}

func (f *fetcher) fetch(parent context.Context, address string) (string, error) {
	target, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return "", fmt.Errorf("url: %q is not an address; use one such as https://example.com/page", address)
	}
	if err := f.allowed.Check(target); err != nil {
		return "", err
	}
	target.RawQuery = strings.ReplaceAll(target.RawQuery, " ", "%20") // models write them so
	ctx, cancel := context.WithTimeout(parent, f.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return "", fmt.Errorf("url: %q is not an address; use one such as https://example.com/page", address)
	}
	request.Header.Set("Accept", "text/*, application/json, application/xml;q=0.9, */*;q=0.1")
	request.Header.Set("User-Agent", "errand")
	response, err := f.client.Do(request)
	if err != nil {
		return "", f.failure(parent, ctx, target, err)
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return "", f.failure(parent, ctx, target, err)
	}
	return render(response, body)
}

// failure never wraps the time-out of the fetch itself: to the caller that
// would look like the end of the whole call.
func (f *fetcher) failure(parent, own context.Context, target *url.URL, err error) error {
	if parent.Err() != nil {
		return parent.Err()
	}
	if own.Err() != nil {
		return fmt.Errorf("url: %s did not answer within %s; try again later or another address", target.Redacted(), f.timeout)
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("url: %s cannot be read: %s", target.Redacted(), err.Error())
}

// render makes the text for the model of a response.
func render(response *http.Response, body []byte) (string, error) {
	from := response.Request.URL.Redacted()
	kind := response.Header.Get("Content-Type")
	if kind == "" {
		kind = http.DetectContentType(body)
	}
	cut := len(body) > maxBody
	body = body[:min(len(body), maxBody)]
	text, err := "", errNoText
	if media, _, _ := mime.ParseMediaType(kind); isText(media) {
		text, err = asText(body, "text/plain")
	}
	if response.StatusCode >= http.StatusBadRequest {
		return "", fmt.Errorf("url: %s answered %s%s", from, response.Status, firstOf(tools.Clean(text)))
	}
	if err != nil {
		return fmt.Sprintf("[%s is %s, not text; its content is not shown]", from, kind), nil
	}
	text = tools.Clean(text)
	if cut {
		text += fmt.Sprintf("\n[only the first %d bytes of %s]", maxBody, from)
	}
	return text, nil
}

func isText(media string) bool {
	if strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") {
		return true
	}
	switch media {
	case "application/json", "application/xml", "application/javascript", "application/x-ndjson",
		"application/yaml", "application/x-yaml", "application/toml", "application/x-www-form-urlencoded":
		return true
	}
	return false
}

// firstOf is the beginning of an error page, to go after a status.
func firstOf(text string) string {
	const most = 500
	switch text = strings.TrimSpace(text); {
	case text == "":
		return ""
	case len(text) > most:
		text = wholeRunes(text[:most]) + "…"
	}
	return ": " + text
}
