package hosts

import (
	"errors"
	"net/netip"
)

// ErrPrivate refuses an address after its name was resolved.
var ErrPrivate = errors.New("the host resolves to a private address; only a host that is listed by its very name may")

// special4 are the entries of the IANA registry of special-purpose IPv4
// addresses that are not globally reachable, or that are assigned to a protocol,
// and multicast. 168.63.129.16 is in no registry: a cloud has its own services
// there.
var special4 = prefixes(
	"0.0.0.0/8",          // this network
	"10.0.0.0/8",         // private use
	"100.64.0.0/10",      // shared by carriers
	"127.0.0.0/8",        // loopback
	"168.63.129.16/32",   // services of Azure
	"169.254.0.0/16",     // link local
	"172.16.0.0/12",      // private use
	"192.0.0.0/24",       // protocol assignments
	"192.0.2.0/24",       // documentation
	"192.31.196.0/24",    // AS112
	"192.52.193.0/24",    // AMT
	"192.88.99.0/24",     // 6to4 relays
	"192.168.0.0/16",     // private use
	"192.175.48.0/24",    // AS112
	"198.18.0.0/15",      // benchmarks
	"198.51.100.0/24",    // documentation
	"203.0.113.0/24",     // documentation
	"224.0.0.0/4",        // multicast
	"240.0.0.0/4",        // reserved
	"255.255.255.255/32", // broadcast
)

// global6 is all of IPv6 that is assigned to the public internet. What is
// outside of it (::/8 with loopback, mapped and compatible IPv4; 64:ff9b::/96
// and 64:ff9b:1::/48, which translate to IPv4; 100::/64 discard; 5f00::/16
// segment routing; fc00::/7, fe80::/10, fec0::/10, ff00::/8) is refused as a
// whole, and so is what nobody has assigned yet.
var global6 = netip.MustParsePrefix("2000::/3")

// special6 are the entries of the IANA registry of special-purpose IPv6
// addresses within global6. 6to4 and Teredo hold an IPv4 address that a gateway
// on the way may connect to.
var special6 = prefixes(
	"2001::/23",         // protocol assignments: Teredo, benchmarks, ORCHID and others
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4
	"2620:4f:8000::/48", // AS112
	"3ffe::/16",         // 6bone, given back
	"3fff::/20",         // documentation
)

func prefixes(all ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(all))
	for i, one := range all {
		parsed[i] = netip.MustParsePrefix(one)
	}
	return parsed
}

// Public refuses an address and port that is not one of the public internet, by
// the registries of special-purpose addresses. The error is ErrPrivate, or says
// that it is no address.
func Public(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := at.Addr().WithZone("").Unmap()
	special := special4
	if ip.Is6() {
		special = special6
		if !global6.Contains(ip) {
			return ErrPrivate
		}
	}
	for _, prefix := range special {
		if prefix.Contains(ip) {
			return ErrPrivate
		}
	}
	return nil
}
