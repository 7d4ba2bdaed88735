package hosts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// MaxBody bounds what is read of a document.
	MaxBody      = 1 << 20
	maxRedirects = 5
	readTimeout  = 30 * time.Second
)

// Reader reads documents from allowed hosts by HTTP GET.
type Reader struct {
	allowed List
	client  *http.Client
	timeout time.Duration
}

// NewReader makes a Reader. A client, if not nil, carries its requests; its
// transport then has to keep private addresses out by itself.
func NewReader(allowed List, client *http.Client) *Reader {
	if client == nil {
		client = &http.Client{Transport: allowed.Transport()}
	}
	return &Reader{allowed: allowed, client: client, timeout: readTimeout}
}

// Document is what a server answered.
type Document struct {
	// URL is the address after redirects, without a password.
	URL string
	// Status is that of the answer, for example "404 Not Found"; Code its number.
	Status string
	Code   int
	// Kind is the Content-Type that the server gave, or what the body looks
	// like.
	Kind string
	// Body is at most MaxBody bytes; Cut is true when there was more.
	Body []byte
	Cut  bool
}

// Read gets a document, whatever its status. A rule, if not nil, may refuse the
// address and every redirect beyond what the allowed hosts do. Errors are for
// the model, but for the end of ctx itself.
func (r *Reader) Read(ctx context.Context, address string, rule func(*url.URL) error) (Document, error) {
	check := func(u *url.URL) error {
		if err := r.allowed.Check(u); err != nil || rule == nil {
			return err
		}
		return rule(u)
	}
	notAddress := fmt.Errorf("url: %q is not an address; use one such as https://example.com/page", address)
	target, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return Document{}, notAddress
	}
	if err := check(target); err != nil {
		return Document{}, err
	}
	target.RawQuery = strings.ReplaceAll(target.RawQuery, " ", "%20") // models write them so
	limited, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, target.String(), nil)
	if err != nil {
		return Document{}, notAddress
	}
	request.Header.Set("Accept", "text/*, application/json, application/xml;q=0.9, */*;q=0.1")
	request.Header.Set("User-Agent", "errand")
	client := *r.client
	client.CheckRedirect = func(next *http.Request, before []*http.Request) error { return redirect(next, before, check) }
	response, err := client.Do(request)
	if err != nil {
		return Document{}, r.failure(ctx, limited, target, err)
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	body, err := io.ReadAll(io.LimitReader(response.Body, MaxBody+1))
	if err != nil {
		return Document{}, r.failure(ctx, limited, target, err)
	}
	return document(response, body), nil
}

func redirect(next *http.Request, before []*http.Request, check func(*url.URL) error) error {
	if len(before) > maxRedirects {
		return fmt.Errorf("url: more than %d redirects", maxRedirects)
	}
	if err := check(next.URL); err != nil {
		return fmt.Errorf("redirect to %s: %w", next.URL.Redacted(), err)
	}
	return nil
}

// failure never wraps the time-out of the reading itself: to the caller that
// would look like the end of the whole call.
func (r *Reader) failure(parent, own context.Context, target *url.URL, err error) error {
	if parent.Err() != nil {
		return parent.Err()
	}
	if own.Err() != nil {
		return fmt.Errorf("url: %s did not answer within %s; try again later or another address", target.Redacted(), r.timeout)
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("url: %s cannot be read: %s", target.Redacted(), err.Error())
}

func document(response *http.Response, body []byte) Document {
	kind := response.Header.Get("Content-Type")
	if kind == "" {
		kind = http.DetectContentType(body)
	}
	return Document{
		URL: response.Request.URL.Redacted(), Status: response.Status, Code: response.StatusCode,
		Kind: kind, Body: body[:min(len(body), MaxBody)], Cut: len(body) > MaxBody,
	}
}
