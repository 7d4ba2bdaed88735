package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"errand/storage"
	"errand/worker"
)

const workerHelp = `Run a worker until SIGINT or SIGTERM: it executes runs, asks the models, and
offers the built-in platform tools now, read_file, list_files, write_file and
fetch_url to requests that declare them. Calls in flight may finish when it
stops.

It is configured by the environment and the file that ERRAND_CONFIG names:

  OPENAI_BASE_URL     what stands before /responses or /chat/completions
  OPENAI_API_KEY      sent to that address only
  ERRAND_MODEL_API    responses (the default) or chat
  ERRAND_TASK_QUEUE   where runs come from (errand)
  ERRAND_FILES_ROOT   the directory of the file tools (.errand/files)
  ERRAND_FETCH_HOSTS  hosts that fetch_url may ask, by commas
  ERRAND_SEARCH_PROVIDER, _URL, _KEY
                      who searches for web_search: searxng with the address
                      of a server, or brave with a key
  ERRAND_STORAGE_DRIVER
                      where large outputs go: directory, with
                      ERRAND_STORAGE_DIRECTORY, or s3
  ERRAND_LOG_LEVEL    debug, info, warn or error
  ERRAND_LOG_FORMAT   json or console`

func (a *app) workerCommand() *cobra.Command {
	level := ""
	command := &cobra.Command{
		Use:     "worker",
		Short:   "Run a worker",
		Long:    workerHelp,
		Example: "  OPENAI_BASE_URL=http://127.0.0.1:8000/v1 {errand} worker",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := untilStopped(cmd.Context())
			defer stop()
			config, err := a.workerConfig(worker.Log{Level: level})
			if err != nil {
				return err
			}
			logger, err := worker.NewLogger(config.Log)
			if err != nil {
				return err
			}
			options, err := a.settings().Options()
			if err != nil {
				return err
			}
			if options.ExternalStorage, err = storage.Open(ctx, config.Storage); err != nil {
				return err
			}
			connected, err := a.dial(ctx, options, logger)
			if err != nil {
				return err
			}
			defer connected.Close()
			w, err := newWorker(config, connected, logger)
			if err != nil {
				return err
			}
			return w.Run(ctx)
		},
	}
	command.Flags().StringVar(&level, "log-level", "", "debug, info, warn or error (ERRAND_LOG_LEVEL)")
	return command
}

func newWorker(config worker.Config, connected client.Client, logger *zap.Logger) (*worker.Worker, error) {
	return worker.New(config, worker.WithBuiltins(), worker.WithClient(connected), worker.WithLogger(logger))
}

// ownVariables are read by this command and mean nothing to a worker.
var ownVariables = []string{"ERRAND_MODEL=", "ERRAND_TEMPORAL_CLI="}

var logLevels = []string{"debug", "info", "warn", "error"}

// workerConfig is the configuration of the environment, with the flags before
// it. What log leaves out stays as configured.
func (a *app) workerConfig(log worker.Log) (worker.Config, error) {
	environ := make([]string, 0, len(a.environ)+1)
next:
	for _, variable := range a.environ {
		for _, own := range ownVariables {
			if strings.HasPrefix(variable, own) {
				continue next
			}
		}
		environ = append(environ, variable)
	}
	if a.flags.profile != "" {
		environ = append(environ, "TEMPORAL_PROFILE="+a.flags.profile)
	}
	if log.Level != "" && !slices.Contains(logLevels, log.Level) {
		return worker.Config{}, badUsage("--log-level %q: write debug, info, warn or error", log.Level)
	}
	config, err := worker.LoadConfig(environ)
	if err != nil {
		return config, err
	}
	if a.flags.taskQueue != "" {
		config.Temporal.TaskQueue = a.flags.taskQueue
	}
	if log.Level != "" {
		config.Log.Level = log.Level
	}
	if log.Format != "" {
		config.Log.Format = log.Format
	}
	return config, nil
}

// untilStopped ends when somebody asks the process to stop. From then on a
// second Ctrl-C kills it as usual.
func untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// interruptions gives every Ctrl-C and SIGTERM until release is called.
func interruptions() (signals <-chan os.Signal, release func()) {
	all := make(chan os.Signal, 4)
	signal.Notify(all, os.Interrupt, syscall.SIGTERM)
	return all, func() { signal.Stop(all) }
}
