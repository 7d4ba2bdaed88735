package main

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"time"

	"go.temporal.io/api/serviceerror"
)

const (
	defaultPort    = 7233
	defaultAddress = "127.0.0.1:7233"
	// uiOffset is how far the Web UI of a development server is from its port.
	uiOffset = 1000
	// uiLook bounds the look whether a Web UI listens.
	uiLook = 200 * time.Millisecond
	// mostPort is the highest number that a port can have.
	mostPort = 65535
)

func isPort(number int) bool { return number >= 1 && number <= mostPort }

// connectionFailed tells whether a dial failed for want of a server.
func connectionFailed(err error) bool {
	var down *serviceerror.Unavailable
	var late *serviceerror.DeadlineExceeded
	return errors.As(err, &down) || errors.As(err, &late)
}

// loopback tells whether an address is on this machine.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || host == "" || ip != nil && ip.IsLoopback()
}

// webUI is where a browser shows a run: known only of a development server,
// which has its Web UI beside it. Empty if nothing listens there.
func webUI(address, namespace, runID string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || !loopback(address) {
		return ""
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return ""
	}
	ui := net.JoinHostPort(host, strconv.Itoa(number+uiOffset))
	connection, err := net.DialTimeout("tcp", ui, uiLook) //nolint:gosec // an address of this machine
	if err != nil {
		return ""
	}
	_ = connection.Close()
	return runURL("http://"+ui, namespace, runID)
}

func runURL(ui, namespace, runID string) string {
	return ui + "/namespaces/" + url.PathEscape(namespace) + "/workflows/" + url.PathEscape(runID)
}
