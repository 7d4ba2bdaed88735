// Package connect reaches the Temporal server that a command line and the
// environment name, and finds runs there.
package connect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.uber.org/zap"

	"errand/cmd/errand/shell"
	"errand/worker"
	"errand/workflows/contract"
)

// CallLimit bounds the wait for a server that does not refuse, but is silent.
const CallLimit = 10 * time.Second

// Settings say where runs are: flags, each empty if it was not given, before
// the variables and profiles of the temporal CLI.
type Settings struct {
	Address, Namespace, Profile, TaskQueue string
	// Environ is the environment, in the form of os.Environ.
	Environ []string
}

// Getenv is the last value of a variable, as the shell would have it.
func (s Settings) Getenv(name string) string {
	value, _ := s.LookupEnv(name)
	return value
}

// environment lets the profiles of the temporal CLI read the variables.
type environment struct{ Settings }

// Environ lists the variables.
func (e environment) Environ() []string { return e.Settings.Environ }

// LookupEnv finds a variable; an empty one counts as not set.
func (s Settings) LookupEnv(name string) (string, bool) {
	value := ""
	for _, one := range s.Environ {
		if key, v, _ := strings.Cut(one, "="); key == name {
			value = v
		}
	}
	return value, value != ""
}

// Queue is the task queue where runs and workers meet.
func (s Settings) Queue() string {
	for _, queue := range []string{s.TaskQueue, s.Getenv("ERRAND_TASK_QUEUE")} {
		if queue != "" {
			return queue
		}
	}
	return contract.DefaultTaskQueue
}

// Flags are the flags that say the same to another command, with a blank
// before each.
func (s Settings) Flags() string {
	all := ""
	for _, flag := range []struct{ name, value string }{
		{"--address", s.Address},
		{"--namespace", s.Namespace},
		{"--profile", s.Profile},
		{"--task-queue", s.TaskQueue},
	} {
		if flag.value != "" {
			all += " " + flag.name + " " + shell.Quote(flag.value)
		}
	}
	return all
}

// Options are those of the environment and the profile, with the flags
// before them.
func (s Settings) Options() (client.Options, error) {
	options, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{
		ConfigFileProfile: s.Profile, EnvLookup: environment{s},
	})
	if err != nil {
		return options, fmt.Errorf("connection settings: %w: check --profile, TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and TEMPORAL_TLS_*", err)
	}
	for _, set := range []struct {
		target          *string
		value, fallback string
	}{
		{&options.HostPort, s.Address, DefaultAddress},
		{&options.Namespace, s.Namespace, client.DefaultNamespace},
	} {
		if set.value != "" {
			*set.target = set.value
		}
		if *set.target == "" {
			*set.target = set.fallback
		}
	}
	return options, checkAddress(options.HostPort)
}

// checkAddress finds what cannot be meant; the rest is for the dialler, which
// knows other forms than host:port too.
func checkAddress(address string) error {
	if !strings.Contains(address, ":") {
		return badAddress("address %q: write host:port, for example %s", address, DefaultAddress)
	}
	_, text, err := net.SplitHostPort(address)
	if err != nil {
		return nil
	}
	if port, err := strconv.Atoi(text); err == nil && !IsPort(port) {
		return badAddress("address %q: its port must be from 1 to %d", address, MostPort)
	}
	return nil
}

// AddressError is an address that cannot be meant.
type AddressError struct{ err error }

func (e *AddressError) Error() string { return e.err.Error() }

func badAddress(format string, args ...any) error { return &AddressError{fmt.Errorf(format, args...)} }

// Dial connects to a server. The error is an *UnreachableError if none answers.
func Dial(ctx context.Context, options client.Options, logger *zap.Logger) (client.Client, error) {
	options.Logger = worker.TemporalLogger(logger)
	worker.AnyWorkflowID(&options)
	limited, cancel := context.WithTimeout(ctx, CallLimit)
	defer cancel()
	connected, err := client.DialContext(limited, options)
	switch {
	case err == nil:
		return connected, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil || refused(err):
		return nil, &UnreachableError{options.HostPort, err}
	}
	return nil, fmt.Errorf("connect to Temporal at %s: %w", options.HostPort, err)
}

// refused tells whether a dial failed for want of a server.
func refused(err error) bool {
	var down *serviceerror.Unavailable
	var late *serviceerror.DeadlineExceeded
	return errors.As(err, &down) || errors.As(err, &late)
}

// UnreachableError says that no Temporal server answers.
type UnreachableError struct {
	Address string
	Err     error
}

func (e *UnreachableError) Error() string { return "cannot reach Temporal at " + e.Address }
func (e *UnreachableError) Unwrap() error { return e.Err }
