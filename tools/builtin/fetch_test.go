package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/builtin"
)

// site is a web server that every host name leads to.
func site(t *testing.T, handler http.HandlerFunc) *http.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, network, server.Listener.Addr().String())
		},
	}}
}

func fetch(t *testing.T, config builtin.Config, address string) (string, error) {
	t.Helper()
	out, err := call(t, config, "fetch_url", args{"url": address})
	if err != nil {
		return "", err
	}
	return out.Content.(string), nil
}

func TestOnlyListedHostsAreRead(t *testing.T) {
	t.Parallel()
	client := site(t, func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprint(w, r.Host) })
	config := builtin.Config{HTTPClient: client, FetchHosts: []string{"Docs.Example.com", "*.example.org", "port.example.net:8080"}}
	for _, address := range []string{
		"http://docs.example.com/a", "http://DOCS.example.com./", "http://docs.example.com:99/",
		"http://a.example.org", "http://b.a.example.org", "http://port.example.net:8080/",
	} {
		text, err := fetch(t, config, address)
		require.NoError(t, err, address)
		require.NotEmpty(t, text)
	}
	for address, want := range map[string]string{
		"http://example.org/":                 `the host "example.org" is not listed`,
		"http://evilexample.org/":             "is not listed",
		"http://docs.example.com.evil.net/":   "is not listed",
		"http://port.example.net/":            "is not listed",
		"http://docs.example.com@evil.net/":   "user name",
		"http://u:p@docs.example.com/":        "user name",
		"file:///etc/passwd":                  `"file:" is not supported`,
		"ftp://docs.example.com/":             `"ftp:" is not supported`,
		"docs.example.com":                    "is not supported",
		"http:///x":                           "it has no host",
		"http://docs.example.com:port/":       "is not an address",
		"http://[::1]/":                       "is not listed",
		"http://docs.example.com\\@evil.net/": "is not an address",
	} {
		_, err := fetch(t, config, address)
		require.ErrorContains(t, err, want, address)
		require.ErrorContains(t, err, "url: ", address)
	}
}

func TestAnEmptyListRefusesAllAndNamesTheKey(t *testing.T) {
	t.Parallel()
	_, err := fetch(t, builtin.Config{}, "http://example.com/")
	require.ErrorContains(t, err, "fetch.hosts (ERRAND_FETCH_HOSTS)")
}

func TestPrivateAddressesMustBeListedByName(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "hello") }))
	t.Cleanup(server.Close)
	text, err := fetch(t, builtin.Config{FetchHosts: []string{"127.0.0.1"}}, server.URL)
	require.NoError(t, err)
	require.Equal(t, "hello", text)

	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	// Names below localhost lead to the loopback address on most systems; where
	// they do not, they cannot be read either.
	_, err = fetch(t, builtin.Config{FetchHosts: []string{"*.localhost"}}, "http://a.localhost:"+port)
	require.ErrorContains(t, err, "cannot be read")
}

func TestRedirectsStayOnListedHosts(t *testing.T) {
	t.Parallel()
	client := site(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/in":
			http.Redirect(w, r, "http://b.example.com/end", http.StatusFound)
		case "/out":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/end":
			_, _ = fmt.Fprint(w, "end")
		default:
			var n int
			_, _ = fmt.Sscanf(r.URL.Path, "/%d", &n)
			if n == 0 {
				_, _ = fmt.Fprint(w, "far")
				return
			}
			http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusFound)
		}
	})
	config := builtin.Config{HTTPClient: client, FetchHosts: []string{"*.example.com"}}
	text, err := fetch(t, config, "http://a.example.com/in")
	require.NoError(t, err)
	require.Equal(t, "end", text)
	text, err = fetch(t, config, "http://a.example.com/5")
	require.NoError(t, err)
	require.Equal(t, "far", text)
	for path, want := range map[string]string{
		"/6": "more than 5 redirects", "/out": `"169.254.169.254" is not listed`, "/file": `"file:" is not supported`,
	} {
		_, err = fetch(t, config, "http://a.example.com"+path)
		require.ErrorContains(t, err, want)
	}
}

func TestOnlyTextIsShownAndOnlyAMegabyte(t *testing.T) {
	t.Parallel()
	client := site(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		switch r.URL.Path {
		case "/gone":
			w.WriteHeader(http.StatusGone)
			_, _ = fmt.Fprint(w, "moved away")
		case "/large":
			_, _ = fmt.Fprint(w, strings.Repeat("x", 1<<20+5))
		default:
			_, _ = fmt.Fprint(w, `{"a":"é"}`)
		}
	})
	config := builtin.Config{HTTPClient: client, FetchHosts: []string{"h"}}
	for _, kind := range []string{"application/json", "text/html%3B charset=utf-8", "application/problem%2Bjson", ""} {
		text, err := fetch(t, config, "http://h/?type="+kind)
		require.NoError(t, err)
		require.JSONEq(t, `{"a":"é"}`, text, kind)
	}
	text, err := fetch(t, config, "http://h/?type=image/png")
	require.NoError(t, err)
	require.Equal(t, "[http://h/?type=image/png is image/png, not text; its content is not shown]", text)
	text, err = fetch(t, config, "http://h/large?type=text/plain")
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(text, "xxx\n[only the first 1048576 bytes of http://h/large?type=text/plain]"))
	_, err = fetch(t, config, "http://h/gone?type=text/plain")
	require.EqualError(t, err, "url: http://h/gone?type=text/plain answered 410 Gone: moved away")
	_, err = fetch(t, config, "http://h/gone?type=image/png")
	require.EqualError(t, err, "url: http://h/gone?type=image/png answered 410 Gone")
}

func TestCancellingIsNotAFailureOfTheTool(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	client := site(t, func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	_, err := callIn(ctx, t, builtin.Config{HTTPClient: client, FetchHosts: []string{"h"}}, "fetch_url", args{"url": "http://h/"})
	require.ErrorIs(t, err, context.Canceled)
}

// broken is a transport that fails.
type broken struct{ err error }

func (b broken) RoundTrip(*http.Request) (*http.Response, error) { return nil, b.err }

func TestANetworkFailureNamesTheAddress(t *testing.T) {
	t.Parallel()
	client := &http.Client{Transport: broken{errors.New("connection refused")}}
	_, err := fetch(t, builtin.Config{HTTPClient: client, FetchHosts: []string{"h"}}, "http://h/page")
	require.EqualError(t, err, "url: http://h/page cannot be read: connection refused")
}
