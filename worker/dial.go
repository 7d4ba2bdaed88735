package worker

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.uber.org/zap"

	"errand/storage"
	"errand/worker/config"
)

// Dial connects to the Temporal server that the TEMPORAL_* variables and the
// profiles of the temporal CLI name, localhost:7233 by default. Each adjust may
// change the options first: metrics, interceptors, a data converter. The client
// stores large payloads where LoadStorage says for the variables of the process.
func Dial(ctx context.Context, logger *zap.Logger, adjust ...func(*client.Options)) (client.Client, error) {
	large, err := LoadStorage(os.Environ())
	if err != nil {
		return nil, err
	}
	return dial(ctx, envconfig.EnvLookupOS, logger, large, adjust)
}

// dial does the same by the variables of an environment.
func dial(ctx context.Context, environ envconfig.EnvLookup, logger *zap.Logger, large storage.Config, adjust []func(*client.Options)) (client.Client, error) {
	options, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{EnvLookup: environ})
	if err != nil {
		return nil, fmt.Errorf("worker: %w%s", err, config.TemporalHint)
	}
	if logger == nil {
		logger = zap.NewNop()
	}
	options.Logger = TemporalLogger(logger)
	if options.ExternalStorage, err = storage.Open(ctx, large); err != nil {
		return nil, fmt.Errorf("worker: %w", err)
	}
	for _, change := range adjust {
		if change != nil {
			change(&options)
		}
	}
	if options.HostPort == "" {
		options.HostPort = client.DefaultHostPort
	}
	if options.Namespace == "" {
		options.Namespace = client.DefaultNamespace
	}
	AnyWorkflowID(&options)
	connected, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, dialError(ctx, options, err)
	}
	return connected, nil
}

// dialError says what to do about a server that does not let us in.
func dialError(ctx context.Context, options client.Options, err error) error {
	var refused *serviceerror.PermissionDenied
	var gone *serviceerror.Unavailable
	var late *serviceerror.DeadlineExceeded
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("worker: stopped while connecting to Temporal at %s: %w", options.HostPort, ctx.Err())
	case errors.As(err, &refused):
		return fmt.Errorf("worker: Temporal at %s refuses namespace %q: %w: check TEMPORAL_API_KEY and the TEMPORAL_TLS_* variables",
			options.HostPort, options.Namespace, err)
	case errors.As(err, &gone), errors.As(err, &late), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf(`worker: no Temporal server answers at %s: %w: start one with "errand dev", or set TEMPORAL_ADDRESS or TEMPORAL_PROFILE`,
			options.HostPort, err)
	}
	return fmt.Errorf("worker: connect to Temporal at %s: %w%s", options.HostPort, err, config.TemporalHint)
}

// startError explains a worker that could not start on a server that answers.
func startError(queue string, err error) error {
	var missing *serviceerror.NamespaceNotFound
	if errors.As(err, &missing) {
		return fmt.Errorf(`worker: start on task queue %q: %w: set TEMPORAL_NAMESPACE, or create it with "temporal operator namespace create"`,
			queue, err)
	}
	return fmt.Errorf("worker: start on task queue %q: %w", queue, err)
}
