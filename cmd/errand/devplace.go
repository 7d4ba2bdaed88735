package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"go.temporal.io/sdk/client"

	"errand/cmd/errand/devserver"
	"errand/workflows/contract"
)

// devServer is the server that dev has started, or nil if one answered at the
// address already. It leaves in options how to reach it.
func (a *app) devServer(ctx context.Context, options *client.Options, f devFlags) (*devserver.Server, error) {
	if devserver.Answering(ctx, options.HostPort) {
		if f.ownServer != "" {
			return nil, fmt.Errorf("a Temporal server answers at %s already, and %s is for one that is started now: "+
				"choose another --port, or leave %s out to use that server", options.HostPort, f.ownServer, f.ownServer)
		}
		a.progress("A Temporal server answers at %s: using it.", options.HostPort)
		return nil, nil
	}
	if !loopback(options.HostPort) {
		return nil, fmt.Errorf("no Temporal server answers at %s, and a development server can only be started on this machine: "+
			"use --port, or unset TEMPORAL_ADDRESS and TEMPORAL_PROFILE", options.HostPort)
	}
	*options = plainOptions(*options)
	binary, err := devserver.Binary(ctx, a.std.err)
	if err != nil {
		return nil, err
	}
	uiPort, err := uiPort(options.HostPort, f.uiPort)
	if err != nil {
		return nil, err
	}
	settings := devserver.Options{
		Binary: binary, Address: options.HostPort, UIPort: uiPort, Namespace: options.Namespace,
		SearchAttributes: map[string]string{contract.AttributeStatus: "Keyword", contract.AttributePending: "Int"},
	}
	where := "in memory"
	if !f.memory {
		settings.DBFile = f.db
		settings.LogFile = filepath.Join(filepath.Dir(f.db), "temporal.log")
		where = "with data in " + f.db
	}
	a.progress("Starting a Temporal development server at %s, %s.", options.HostPort, where)
	begin := time.Now()
	server, err := devserver.Start(ctx, settings)
	if err != nil {
		// The text alone: what the last look at the server met is no reason to
		// say that one should be started.
		return nil, errors.New(inUse(err, options.HostPort).Error())
	}
	a.progress("It answers after %d ms.", time.Since(begin).Milliseconds())
	return server, nil
}

// progress tells how far the start has come; scripts that read JSON are spared.
func (a *app) progress(format string, args ...any) {
	if !a.json() {
		a.notice(format, args...)
	}
}

// uiPort is the port of the Web UI: as given, or beside the server's.
func uiPort(address string, given int) (int, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return 0, fmt.Errorf("address %q: want host:port: %w", address, err)
	}
	number, err := strconv.Atoi(port)
	switch {
	case given != 0 && given == number:
		return 0, badUsage("--ui-port %d: the server itself listens there: choose another one", given)
	case given != 0:
		return given, nil
	case err != nil || !isPort(number+uiOffset):
		return 0, fmt.Errorf("no default port for the Web UI beside %s: name one with --ui-port", address)
	}
	return number + uiOffset, nil
}

// inUse says which flag frees a start from a port that is taken.
func inUse(err error, address string) error {
	var taken *devserver.InUseError
	switch {
	case !errors.As(err, &taken):
		return err
	case taken.Address == address:
		return fmt.Errorf("%s is in use by another program that is no Temporal server: stop it, or choose another port with --port", taken.Address)
	}
	return fmt.Errorf("%s, meant for the Web UI, is in use: choose another port with --ui-port", taken.Address)
}
