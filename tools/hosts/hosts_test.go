package hosts_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools/hosts"
)

func TestPrivateAddressesAreNotDialled(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"127.0.0.1:80", "10.1.2.3:80", "172.16.0.1:80", "192.168.1.1:80", "169.254.169.254:80", "0.0.0.0:80",
		"100.64.0.1:80", "224.0.0.1:80", "255.255.255.255:80", "[::1]:80", "[::]:80", "[fe80::1]:80", "[fd00::1]:80",
		"[::ffff:127.0.0.1]:80", "[::ffff:10.0.0.1]:80", "[64:ff9b::7f00:1]:80", "[2002:7f00:1::]:80", "name:80", "",
	} {
		require.Error(t, hosts.Public(address), address)
	}
	for _, address := range []string{"93.184.216.34:443", "[2606:2800:220:1:248:1893:25c8:1946]:80"} {
		require.NoError(t, hosts.Public(address), address)
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
