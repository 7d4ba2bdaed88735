package main

import (
	"fmt"
	"net"
	"os"
)

// uiOffset is how far the Web UI is from its server: where the errand command
// looks for it.
const uiOffset = 1000

// freePorts finds a port for the server that leaves one for the Web UI. It
// looks below the ports that the system gives away by itself, and two demos at
// once look in different places.
func freePorts() (int, error) {
	const first, span = 17300, 12000
	for n := range span {
		port := first + (os.Getpid()*7+n)%span
		if free(port) && free(port+uiOffset) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port from %d to %d", first, first+span)
}

func free(port int) bool {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}
