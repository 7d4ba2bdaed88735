package builtin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// hosts is the allow-list of fetch_url.
type hosts []string

// check refuses a URL that fetch_url must not read.
func (h hosts) check(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("url: %q is not supported; use an http or https address", u.Scheme+":")
	case u.Hostname() == "":
		return errors.New("url: it has no host; use an address such as https://example.com/page")
	case u.User != nil:
		return errors.New("url: leave out the user name and password")
	case len(h) == 0:
		return errors.New("this worker may not read from the web: its configuration lists no host under fetch.hosts (ERRAND_FETCH_HOSTS)")
	case !h.listed(u.Hostname(), portOf(u)) && !h.covered(u.Hostname(), portOf(u)):
		return fmt.Errorf("url: the host %q is not listed under fetch.hosts (ERRAND_FETCH_HOSTS) in the worker's configuration; listed are %s",
			u.Hostname(), strings.Join(h, ", "))
	}
	return nil
}

// listed tells whether a host is listed by its very name.
func (h hosts) listed(host, port string) bool {
	for _, one := range h {
		name, only := entry(one)
		if name == plainHost(host) && (only == "" || only == port) {
			return true
		}
	}
	return false
}

// covered tells whether a host is below a *.example.com.
func (h hosts) covered(host, port string) bool {
	for _, one := range h {
		name, only := entry(one)
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

// dial connects, but not to a private address unless the host is listed by its
// name. The address is looked at after the name was resolved: a name can
// resolve to anything.
func (h hosts) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := net.Dialer{Timeout: 10 * time.Second}
	if !h.listed(host, port) {
		dialer.Control = func(_, resolved string, _ syscall.RawConn) error { return public(resolved) }
	}
	return dialer.DialContext(ctx, network, address)
}

var errPrivate = errors.New("the host resolves to a private address; only a host that is listed by its very name may")

// special are address ranges that netip does not name: carrier networks,
// protocol assignments, benchmarks, reserved ones, and the prefixes that hold
// an IPv4 address.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"), netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("fec0::/10"),
}

func public(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return errPrivate
	}
	for _, prefix := range special {
		if prefix.Contains(ip) {
			return errPrivate
		}
	}
	return nil
}
