package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"errand/tools"
)

const (
	// maxAnswer bounds what is read of a provider's answer.
	maxAnswer = 2 << 20
	// maxWait is how long a provider may ask to wait before the one repeat of a
	// request; a longer wait is told to the model.
	maxWait = 5 * time.Second
	// maxRepeats bounds the repeats of one search.
	maxRepeats = 2
)

// newClient follows no redirect: a provider's address is configured, and the
// key must not travel on.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
			MaxIdleConns: 20, MaxIdleConnsPerHost: 10, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// endpoint asks one provider.
type endpoint struct {
	name    string
	base    *url.URL
	header  http.Header
	client  *http.Client
	timeout time.Duration
}

func (e *endpoint) at(address string) error {
	base, err := url.Parse(address)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || base.User != nil {
		return errors.New("the address of the search provider must be a URL such as http://127.0.0.1:8080")
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	e.base = base
	return nil
}

// refusal is an answer of a provider that is no result.
type refusal struct {
	provider, status, detail string
	code                     int
	// wait is how long the provider asks to wait; 0 if it does not say.
	wait time.Duration
}

func (r *refusal) Error() string {
	text := fmt.Sprintf("%s answered %s", r.provider, r.status)
	if r.detail != "" {
		text += ": " + r.detail
	}
	switch {
	case r.wait > 0:
		text += fmt.Sprintf("; it can be asked again in %s", r.wait.Round(time.Second))
	case r.code >= http.StatusInternalServerError:
		text += "; try again later, or answer with what you have"
	}
	return text
}

// get asks for a path with parameters and decodes the JSON of the answer. It
// repeats what the provider wants repeated within seconds.
func (e endpoint) get(ctx context.Context, path string, parameters url.Values, header http.Header, target any) error {
	limited, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	for repeat := 0; ; repeat++ {
		err := e.once(limited, path, parameters, header, target)
		var refused *refusal
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case limited.Err() != nil:
			// It must not look like the end of the whole call.
			return fmt.Errorf("%s did not answer within %s; try again later, or answer with what you have", e.name, e.timeout)
		case !errors.As(err, &refused) || refused.wait == 0 || refused.wait > maxWait || repeat == maxRepeats:
			return err
		}
		if deadline, ok := limited.Deadline(); ok && time.Until(deadline) < refused.wait {
			return err
		}
		timer := time.NewTimer(refused.wait)
		select {
		case <-timer.C:
		case <-limited.Done():
			timer.Stop()
		}
	}
}

func (e endpoint) once(ctx context.Context, path string, parameters url.Values, header http.Header, target any) error {
	address := *e.base
	address.Path += path
	address.RawQuery = parameters.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return fmt.Errorf("%s cannot be asked: %w", e.name, err)
	}
	for _, all := range []http.Header{e.header, header} {
		for name, values := range all {
			request.Header[name] = values
		}
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "errand")
	response, err := e.client.Do(request)
	if err != nil {
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err
		}
		return fmt.Errorf("%s cannot be reached: %w", e.name, err)
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case response.StatusCode != http.StatusOK:
		return e.refused(response, body)
	case err != nil:
		return fmt.Errorf("%s stopped in the middle of its answer: %w", e.name, err)
	case len(body) > maxAnswer:
		return fmt.Errorf("%s sent more than %d bytes; ask for something narrower", e.name, maxAnswer)
	}
	if err := json.Unmarshal(body, target); err != nil {
		return fmt.Errorf("%s did not answer with its JSON (%s): check the address of the search provider", e.name, kindOf(response))
	}
	return nil
}

func (e endpoint) refused(response *http.Response, body []byte) error {
	return &refusal{
		provider: e.name, code: response.StatusCode, status: response.Status,
		detail: e.hint(response, detailOf(body)), wait: waitOf(response.Header),
	}
}

// hint adds what to do about a refusal that has a well-known reason.
func (e endpoint) hint(response *http.Response, detail string) string {
	fix := ""
	switch code := response.StatusCode; {
	case code >= 300 && code < 400:
		fix = "it redirects to another address: configure that one"
	case e.header != nil && (code == http.StatusUnauthorized || code == http.StatusForbidden || strings.Contains(detail, "SUBSCRIPTION_TOKEN_INVALID")):
		fix = "the worker's key for it is not accepted"
	case e.header == nil && code == http.StatusForbidden:
		fix = "JSON must be among search.formats in its settings.yml"
	}
	switch {
	case fix == "":
		return detail
	case detail == "":
		return fix
	}
	return detail + " (" + fix + ")"
}

// maxDetail bounds what is quoted of an error page.
const maxDetail = 300

// detailOf is what an error answer says: the detail of Brave's JSON, or the
// text of a page.
func detailOf(body []byte) string {
	var known struct {
		Error struct {
			Code   string `json:"code"`
			Detail string `json:"detail"`
		} `json:"error"`
	}
	text := ""
	if json.Unmarshal(body, &known) == nil {
		text = strings.TrimSuffix(strings.TrimSpace(known.Error.Detail), ".")
		if known.Error.Code != "" {
			text = strings.TrimSpace(known.Error.Code + " " + text)
		}
	} else {
		text = plain(string(body[:min(len(body), 16<<10)]))
	}
	cut, _ := tools.Cut(text, maxDetail)
	return cut
}

func kindOf(response *http.Response) string {
	if kind := response.Header.Get("Content-Type"); kind != "" {
		short, _ := tools.Cut(kind, 100)
		return short
	}
	return "no Content-Type"
}
