package web

import (
	"fmt"
	"net/url"
	"strings"

	"errand/tools"
)

// outside refuses an address that the domains of a declaration leave out.
func outside(u *url.URL, wanted tools.WebSearch) error {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if len(wanted.AllowedDomains) > 0 && !below(host, wanted.AllowedDomains) {
		return fmt.Errorf("url: the host %q is outside the domains that this search is limited to: %s", host, named(wanted.AllowedDomains))
	}
	if below(host, wanted.BlockedDomains) {
		return fmt.Errorf("url: the host %q is in a domain that this search leaves out", host)
	}
	return nil
}

// below tells whether a host is one of the domains or below one of them.
func below(host string, domains []string) bool {
	for _, d := range domains {
		if rest, ok := strings.CutSuffix(host, d); ok && (rest == "" || strings.HasSuffix(rest, ".")) {
			return true
		}
	}
	return false
}
