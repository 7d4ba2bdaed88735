package openaimodel

import (
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	dialTimeout = 10 * time.Second
	// maxRedirects is net/http's own limit, which a CheckRedirect replaces.
	maxRedirects = 10
)

// patientClient has no limit on the wait for headers: a model that thinks for
// an hour sends none until it is done, and the caller's context decides how
// long that may take. What is bounded is everything a healthy server does at
// once, and a dead peer is found by pings. Proxies come from the environment in
// net/http's default; nothing here does.
func patientClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext:           (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		ForceAttemptHTTP2:     true,
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       90 * time.Second,
	}}
}

// withinOrigin is a copy of client that follows a redirect only within the same
// origin and only as the same POST. Any other is returned as the reply it is:
// headers hold credentials, and a POST that became a GET asks nothing.
func withinOrigin(client *http.Client) *http.Client {
	copied := *client
	theirs := client.CheckRedirect
	copied.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		if next.Method != via[0].Method || !sameOrigin(next.URL, via[0].URL) || len(via) >= maxRedirects {
			return http.ErrUseLastResponse
		}
		if theirs != nil {
			return theirs(next, via)
		}
		return nil
	}
	return &copied
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
