package devserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"

	"errand/tools/process"
)

const (
	// startLimit is how long a server may take until it answers.
	startLimit = 60 * time.Second
	// lookEvery is short: a dev server is there within half a second.
	lookEvery = 20 * time.Millisecond
	// startAttempts bounds starting again with other ports when one that was
	// free a moment ago has been taken.
	startAttempts = 3
)

// Why a wait for a server was given up.
var (
	errEnded = errors.New("the server ended")
	errSlow  = errors.New("no answer in " + startLimit.String())
)

// Start starts a server and returns when it answers. ctx bounds the start
// only. Stop or Kill the server when you are done with it. If the address or
// the UI port is taken the error is an *InUseError.
func Start(ctx context.Context, options Options) (*Server, error) {
	if options.Binary == "" {
		binary, err := Binary(ctx, io.Discard)
		if err != nil {
			return nil, err
		}
		options.Binary = binary
	}
	for attempt := 1; ; attempt++ {
		server, err := startOnce(ctx, options)
		// A named port is checked before the start, so a clash in the server's
		// own words is about a port that it or we picked.
		if err == nil || attempt == startAttempts || !strings.Contains(err.Error(), "address already in use") {
			return server, err
		}
	}
}

func startOnce(ctx context.Context, options Options) (*Server, error) {
	if err := options.checkFree(ctx); err != nil {
		return nil, err
	}
	place, err := options.choose()
	if err != nil {
		return nil, err
	}
	server := &Server{Address: place.address(), output: &process.Tail{Limit: tailBytes}}
	if place.uiPort != NoUI {
		server.UIURL = "http://" + place.uiAddress()
	}
	if err := server.launch(options, place); err != nil {
		return nil, err
	}
	if err := server.waitUntilReady(ctx, options.namespace(), place); err != nil {
		server.Kill()
		return nil, err
	}
	return server, nil
}

// launch starts the process.
func (s *Server) launch(options Options, place place) error {
	if options.DBFile != "" {
		if err := os.MkdirAll(filepath.Dir(options.DBFile), 0o750); err != nil {
			return fmt.Errorf("database file: %w", err)
		}
	}
	log, err := openLog(options.LogFile)
	if err != nil {
		return fmt.Errorf("log file: %w", err)
	}
	s.output.Log = log
	cmd := exec.Command(options.Binary, options.arguments(place)...) //nolint:gosec // running what the user chose is the point
	// The CLI would take the profile of a client for its own settings.
	cmd.Env = environWithout("TEMPORAL_")
	cmd.Stdout, cmd.Stderr = s.output, s.output
	child, err := process.Start(cmd)
	if err != nil {
		_ = log.Close()
		return fmt.Errorf("starting %s: %w", options.Binary, err)
	}
	s.child = child
	go func() {
		<-child.Done()
		_ = log.Close()
	}()
	return nil
}

// openLog opens the file for appending; without a path what is written goes
// nowhere.
func openLog(path string) (io.WriteCloser, error) {
	if path == "" {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // the caller names its own log
}

// waitUntilReady returns when the server answers and its Web UI does. A server
// that ends instead explains itself in the error.
func (s *Server) waitUntilReady(ctx context.Context, namespace string, place place) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, errSlow)
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		select {
		case <-s.Done():
			end(errEnded)
		case <-ctx.Done():
		}
	}()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		err := probe(ctx, s.Address, namespace)
		if err == nil && place.uiPort != NoUI {
			err = reach(ctx, place.uiAddress())
		}
		if err == nil && ctx.Err() == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return s.notReady(context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}

func (s *Server) notReady(cause, last error) error {
	if errors.Is(cause, errEnded) {
		return s.explained(fmt.Errorf("the Temporal dev server for %s ended while it started (%w)", s.Address, s.child.Err()))
	}
	return s.explained(fmt.Errorf("the Temporal dev server at %s does not answer: %w (last try: %w)", s.Address, cause, last))
}

// answerLimit bounds one look at a server.
const answerLimit = time.Second

// Answering tells whether a Temporal server answers at address (host:port)
// within a second.
func Answering(ctx context.Context, address string) bool {
	return probe(ctx, address, "") == nil
}

// probe fails unless a Temporal server answers at address and, if one is named,
// knows the namespace.
func probe(ctx context.Context, address, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	// A bare connection first: a gRPC client that met a closed port waits a
	// second before it tries again.
	if err := reach(ctx, address); err != nil {
		return err
	}
	temporal, err := client.DialContext(ctx, client.Options{
		HostPort: address,
		Logger:   log.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err != nil {
		return err
	}
	defer temporal.Close()
	if namespace == "" {
		return nil
	}
	_, err = temporal.WorkflowService().DescribeNamespace(ctx,
		&workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	return err
}

// reach fails if nothing accepts connections at address.
func reach(ctx context.Context, address string) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return connection.Close()
}
