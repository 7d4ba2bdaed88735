package connect

import (
	"net"
	"net/url"
	"strconv"
	"time"
)

// Addresses of a development server.
const (
	DefaultPort    = 7233
	DefaultAddress = "127.0.0.1:7233"
	// UIOffset is how far the Web UI of a development server is from its port.
	UIOffset = 1000
	// MostPort is the highest number that a port can have.
	MostPort = 65535
)

// uiLimit bounds the look whether a Web UI listens.
const uiLimit = 200 * time.Millisecond

// IsPort tells whether a number can be a port to connect to.
func IsPort(number int) bool { return number >= 1 && number <= MostPort }

// Loopback tells whether an address is on this machine.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || host == "" || ip != nil && ip.IsLoopback()
}

// WebUI is where a browser shows a run: known only of a development server,
// which has its Web UI beside it. Empty if nothing listens there.
func WebUI(address, namespace, runID string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || !Loopback(address) {
		return ""
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return ""
	}
	ui := net.JoinHostPort(host, strconv.Itoa(number+UIOffset))
	connection, err := net.DialTimeout("tcp", ui, uiLimit)
	if err != nil {
		return ""
	}
	_ = connection.Close()
	return RunURL("http://"+ui, namespace, runID)
}

// RunURL is the page of a run in a Web UI.
func RunURL(ui, namespace, runID string) string {
	return ui + "/namespaces/" + url.PathEscape(namespace) + "/workflows/" + url.PathEscape(runID)
}
