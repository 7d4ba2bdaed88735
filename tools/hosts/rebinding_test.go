package hosts_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"errand/tools/hosts"
)

// names is a server of names that answers each question for an address with the
// next of the answers that it has for the name, and then for ever with the last.
type names struct {
	mu      sync.Mutex
	answers map[string][][4]byte
	asked   map[string]int
}

// resolver asks the server of names and nobody else.
func (n *names) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 1500)
		for {
			size, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply := n.reply(buffer[:size]); reply != nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func (n *names) reply(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		if at, ok := n.next(strings.TrimSuffix(q.Name.String(), ".")); ok {
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 0}, Body: &dnsmessage.AResource{A: at},
			}}
		}
	}
	reply, err := m.Pack()
	if err != nil {
		return nil
	}
	return reply
}

func (n *names) next(name string) ([4]byte, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.answers[name]
	if len(all) == 0 {
		return [4]byte{}, false
	}
	n.asked[name]++
	return all[min(n.asked[name], len(all))-1], true
}

// times is how often a name was asked for.
func (n *names) times(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[name]
}

var (
	public   = [4]byte{93, 184, 216, 34}
	loopback = [4]byte{127, 0, 0, 1}
)

// connecting is how long a connection to an address of the internet is tried.
const connecting = 300 * time.Millisecond

// rebinding is a local site that counts its visitors, and a reader with a
// resolver of the test's own.
func rebinding(t *testing.T, answers map[string][][4]byte, listed ...string) (*names, *hosts.Reader, *atomic.Int32, string) {
	t.Helper()
	var visits atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		visits.Add(1)
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
	}))
	t.Cleanup(site.Close)
	_, port, err := net.SplitHostPort(site.Listener.Addr().String())
	require.NoError(t, err)
	server := &names{answers: answers, asked: map[string]int{}}
	return server, hosts.NewReader(hosts.List{Names: listed, Resolver: server.resolver(t)}, nil), &visits, port
}

func TestANameThatChangesItsAddressReachesNoPrivateOne(t *testing.T) {
	t.Parallel()
	// Whatever was said first: the address that is connected to is the one that
	// was looked at, and each connection looks anew.
	_, reader, visits, port := rebinding(t, map[string][][4]byte{"turns.example": {loopback, public, loopback}}, "*")
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), connecting)
		_, err := reader.Read(ctx, "http://turns.example:"+port, nil)
		cancel()
		require.Error(t, err)
	}
	require.Zero(t, visits.Load(), "nothing was connected to the local site")
}

func TestANameIsResolvedOnceForAConnection(t *testing.T) {
	t.Parallel()
	server, reader, visits, port := rebinding(t, map[string][][4]byte{"home.example": {loopback, public}}, "home.example")
	_, err := reader.Read(t.Context(), "http://home.example:"+port, nil)
	require.NoError(t, err)
	require.EqualValues(t, 1, visits.Load())
	require.Equal(t, 1, server.times("home.example"), "the address that was checked is the one that was dialled")
}

func TestARedirectToANameOfAPrivateAddressIsNotFollowed(t *testing.T) {
	t.Parallel()
	_, reader, visits, port := rebinding(t, map[string][][4]byte{"home.example": {loopback}, "away.example": {loopback}}, "home.example", "*")
	_, err := reader.Read(t.Context(), "http://home.example:"+port+"/?to=http://away.example:"+port+"/", nil)
	require.ErrorContains(t, err, hosts.ErrPrivate.Error())
	require.EqualValues(t, 1, visits.Load(), "only the listed name was visited")
}
