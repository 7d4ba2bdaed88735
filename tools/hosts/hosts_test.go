package hosts_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/hosts"
)

// special are the first and the last address of every range that the registries
// of special-purpose addresses name, and what is built from them.
var special = map[string][]string{
	"this network":             {"0.0.0.0", "0.255.255.255"},
	"private use":              {"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"},
	"carriers":                 {"100.64.0.0", "100.127.255.255"},
	"loopback":                 {"127.0.0.1", "127.255.255.255", "::1"},
	"Azure":                    {"168.63.129.16"},
	"link local":               {"169.254.0.0", "169.254.169.254", "169.254.255.255", "fe80::1", "fe80::1%eth0", "febf::1"},
	"protocol assignments":     {"192.0.0.0", "192.0.0.192", "192.0.0.255", "2001:1ff:ffff::1"},
	"documentation":            {"192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "3fff:fff:ffff::1"},
	"AS112 and AMT":            {"192.31.196.1", "192.52.193.1", "192.175.48.1", "2620:4f:8000::1"},
	"relays of 6to4":           {"192.88.99.0", "192.88.99.255"},
	"benchmarks":               {"198.18.0.0", "198.19.255.255", "2001:2::1"},
	"multicast":                {"224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"},
	"reserved, broadcast":      {"240.0.0.0", "255.255.255.254", "255.255.255.255"},
	"unspecified":              {"::"},
	"compatible IPv4":          {"::127.0.0.1", "::10.0.0.1", "::93.184.216.34", "::ffff:ffff"},
	"mapped IPv4":              {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:168.63.129.16", "::ffff:169.254.169.254%eth0"},
	"translated IPv4":          {"::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::5db8:d822", "64:ff9b:1::1", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"},
	"discard":                  {"100::1", "100:0:0:1::1"},
	"Teredo":                   {"2001::1", "2001:0:ffff:ffff:ffff:ffff:80ff:fffe"},
	"ORCHID":                   {"2001:10::1", "2001:20::1", "2001:30::1"},
	"6to4 of private networks": {"2002:7f00:1::", "2002:a00:1::", "2002:c0a8:101::", "2002:a9fe:a9fe::"},
	"6to4":                     {"2002:5db8:d822::"},
	"6bone":                    {"3ffe::1"},
	"segment routing":          {"5f00::1"},
	"unique local":             {"fc00::1", "fd00:ec2::254", "fdff:ffff::1"},
	"site local":               {"fec0::1", "feff::1"},
	"unassigned":               {"4000::1", "a000::1", "1fff::1", "200::1"},
}

func TestSpecialAddressesAreNotPublic(t *testing.T) {
	t.Parallel()
	for name, all := range special {
		for _, one := range all {
			require.ErrorIs(t, hosts.Public(netip.AddrPortFrom(netip.MustParseAddr(one), 80).String()), hosts.ErrPrivate, "%s: %s", name, one)
		}
	}
	for _, address := range []string{"name:80", "", "127.1:80", "0x7f000001:80", "2130706433:80", "0177.0.0.1:80", "[::1]"} {
		require.Error(t, hosts.Public(address), address)
	}
}

// The neighbours of the ranges are public: none is wider than the registries say.
func TestOtherAddressesArePublic(t *testing.T) {
	t.Parallel()
	for _, one := range []string{
		"1.0.0.0", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
		"168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255",
		"192.0.1.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
		"198.51.99.255", "203.0.114.0", "223.255.255.255", "::ffff:93.184.216.34",
		"2001:200::1", "2001:db7::1", "2001:db9::1", "2003::1", "2606:2800:220:1:248:1893:25c8:1946", "2a00:1450::1", "3ffd::1",
	} {
		require.NoError(t, hosts.Public(netip.AddrPortFrom(netip.MustParseAddr(one), 443).String()), one)
	}
}

func TestANameThatResolvesToALoopbackAddressIsNotDialled(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	_, err = hosts.List{Names: []string{"*.com"}}.Dial(t.Context(), "tcp", "localhost:"+port)
	require.ErrorIs(t, err, hosts.ErrPrivate)
	conn, err := hosts.List{Names: []string{"localhost"}}.Dial(t.Context(), "tcp", "localhost:"+port)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}
