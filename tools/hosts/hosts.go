// Package hosts decides which addresses a worker connects to when somebody else
// names them: hosts that its configuration lists, and private addresses only
// where the very name is listed. Standard library only.
package hosts

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// List is the allow-list of one setting.
type List struct {
	// Names are hosts, "*.example.com" for all below one, each with a port if
	// only that one is meant; "*" is every host with a public address.
	Names []string
	// Setting is what a refusal calls the list, for example "fetch.hosts
	// (ERRAND_FETCH_HOSTS)".
	Setting string
	// Resolver, if not nil, resolves the names of hosts.
	Resolver *net.Resolver
}

// ErrNotListed refuses a host that a list does not cover.
var ErrNotListed = errors.New("the host is not listed")

type notListed string

func (n notListed) Error() string        { return string(n) }
func (n notListed) Is(target error) bool { return target == ErrNotListed }

// Check refuses a URL that the list does not cover. The error begins with
// "url: " where the URL is what has to change.
func (l List) Check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("url: %q is not supported; use an http or https address", u.Scheme+":")
	case u.Hostname() == "":
		return errors.New("url: it has no host; use an address such as https://example.com/page")
	case u.User != nil:
		return errors.New("url: leave out the user name and password")
	case len(l.Names) == 0:
		return notListed(fmt.Sprintf("this worker may not read from the web: its configuration lists no host under %s", l.Setting))
	case !l.listed(u.Hostname(), portOf(u)) && !l.covered(u.Hostname(), portOf(u)):
		return notListed(fmt.Sprintf("url: the host %q is not listed under %s in the worker's configuration; listed are %s",
			u.Hostname(), l.Setting, strings.Join(l.Names, ", ")))
	}
	return nil
}

// listed tells whether a host is listed by its very name.
func (l List) listed(host, port string) bool {
	for _, one := range l.Names {
		name, only := entry(one)
		if name == plainHost(host) && (only == "" || only == port) {
			return true
		}
	}
	return false
}

// covered tells whether a host is below a *.example.com, or any will do.
func (l List) covered(host, port string) bool {
	for _, one := range l.Names {
		name, only := entry(one)
		if name == "*" && (only == "" || only == port) {
			return true
		}
		suffix, ok := strings.CutPrefix(name, "*.")
		if ok && suffix != "" && strings.HasSuffix(plainHost(host), "."+suffix) && (only == "" || only == port) {
			return true
		}
	}
	return false
}

// entry splits a listed host; one without a port stands for all of them.
func entry(listed string) (name, port string) {
	if name, port, err := net.SplitHostPort(strings.TrimSpace(listed)); err == nil {
		return plainHost(name), port
	}
	return plainHost(listed), ""
}

func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

func plainHost(host string) string {
	host = strings.ToLower(strings.TrimSpace(host))
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.TrimSuffix(host, ".")
}

// Transport dials by these rules. It uses no proxy: that would resolve the
// names, and the check of addresses would look at the proxy's own.
func (l List) Transport() *http.Transport {
	return &http.Transport{
		DialContext: l.Dial, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConns: 20, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10,
	}
}

// Dial connects, but not to a private address unless the host is listed by its
// name. A name is resolved once, and each address is looked at right before the
// connection to that very address: what the name resolves to later, or resolved
// to before, makes no difference.
func (l List) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: 10 * time.Second, Resolver: l.Resolver}
	if !l.listed(host, port) {
		dialer.Control = func(_, resolved string, _ syscall.RawConn) error { return Public(resolved) }
	}
	return dialer.DialContext(ctx, network, address)
}
