package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.temporal.io/sdk/client"
	sdkworker "go.temporal.io/sdk/worker"
	"go.uber.org/zap"

	"errand/activities"
	"errand/tools/mcp"
	"errand/worker/config"
)

// Worker takes runs from a task queue. It is started once, by Run or by Start.
type Worker struct {
	config     Config
	logger     *zap.Logger
	activities *activities.Activities
	temporal   *engine
	servers    *mcp.Servers
	given      client.Client // nil: the worker dials and closes its own
	adjust     []func(*client.Options)
	warnings   []string
	known      []string
	// queue is this worker's own; empty where no tool is of scope run.
	queue string
	// done is closed once it takes nothing more; fault, set before, is what
	// ended it from inside.
	done  chan struct{}
	ended sync.Once
	fault error

	mu      sync.Mutex // held while starting and stopping
	started bool
	stop    func() // nil unless it is running
}

// engine is the connection as activities see it. It is empty until the worker
// starts: they are built, and their faults found, before anything is dialled.
type engine struct{ client.Client }

// New puts a worker together. It opens no connection. The error is an *Error
// with every mistake in the configuration and in the options.
func New(c Config, opts ...Option) (*Worker, error) {
	var p parts
	for _, opt := range opts {
		if opt != nil {
			opt(&p)
		}
	}
	c = c.WithDefaults()
	p.faults = append(c.Faults(), p.faults...)
	if p.logger == nil && len(p.faults) == 0 {
		logger, err := NewLogger(c.Log)
		if err != nil {
			addEach(&p.faults, "log", err)
		}
		p.logger = logger
	}
	temporal := &engine{}
	built, queue := p.assemble(c, temporal)
	if err := config.NewError("the worker's set-up", p.faults); err != nil {
		return nil, err
	}
	w := &Worker{
		config: c, logger: p.logger, activities: built, temporal: temporal, servers: p.servers, queue: queue,
		given: p.client, adjust: p.adjust, warnings: c.Warnings(), known: p.known, done: make(chan struct{}),
	}
	if p.model == nil {
		for _, match := range keyless(c.Models) {
			w.warnings = append(w.warnings, fmt.Sprintf(
				"models matching %q go to api.openai.com without a key and will be refused: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own", match))
		}
	}
	return w, nil
}

// Run takes runs until ctx ends, then lets the calls in flight finish for some
// seconds and closes what the worker opened. It returns nil when ctx ended it,
// and otherwise why it could not start or go on.
func (w *Worker) Run(ctx context.Context) error {
	if err := w.Start(ctx); err != nil {
		if errors.Is(ctx.Err(), context.Canceled) && errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	}
	defer w.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-w.done:
		return w.Err()
	}
}

// Done is closed when the worker takes nothing more: it was stopped, or cannot
// go on. Whoever uses Start waits for it beside their own work: see Err.
func (w *Worker) Done() <-chan struct{} { return w.done }

// Err is why the worker cannot go on: its namespace is gone, its credentials
// were withdrawn. It is nil before Done is closed, and when Stop closed it.
func (w *Worker) Err() error {
	select {
	case <-w.done:
		return w.fault
	default:
		return nil
	}
}

func (w *Worker) end(fault error) {
	w.ended.Do(func() {
		w.fault = fault
		close(w.done)
	})
}

// Start connects and begins to take runs; ctx bounds the connecting only. It
// is for services that have a life cycle of their own; Stop ends it, and Done
// tells when it ends by itself.
func (w *Worker) Start(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.started {
		return errors.New("worker: it was started before: make another one with New")
	}
	w.started = true
	connected, release, err := w.connect(ctx)
	if err != nil {
		return err
	}
	w.temporal.Client = connected
	queue := w.config.Temporal.TaskQueue
	running, err := w.register(connected)
	lasting := context.WithoutCancel(ctx)
	if err == nil {
		err = running.Start(lasting)
	}
	if err != nil {
		release()
		return startError(queue, err)
	}
	w.logger.Info("worker started", zap.Object("config", w.config))
	for _, warning := range w.warnings {
		w.logger.Warn(warning)
	}
	w.stop = func() {
		running.Stop(lasting)
		w.servers.Close()
		release()
		w.logger.Info("worker stopped", zap.String("task_queue", queue))
	}
	return nil
}

// Stop takes no more runs, waits for the calls in flight, at most 10 seconds, then
// tells them to stop, and closes what was opened for runs, by Start and by Offer.
// More calls of it do nothing.
func (w *Worker) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.started { // Offer may have opened some
		w.servers.Close()
	}
	w.started = true // a worker that was stopped stays so
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
	w.end(nil)
}

func (w *Worker) connect(ctx context.Context) (client.Client, func(), error) {
	if w.given != nil {
		return w.given, func() {}, nil
	}
	dialled, err := dial(ctx, w.config.Environment(), w.logger, w.config.Storage, w.adjust)
	if err != nil {
		return nil, nil, err
	}
	return dialled, dialled.Close, nil
}

// register makes the SDK's workers. The SDK panics on a client that is not its
// own, such as a wrapped one.
func (w *Worker) register(connected client.Client) (running *sdkWorkers, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the Temporal SDK refuses the set-up: %v", p)
		}
	}()
	running = newSDKWorkers(w.activities)
	common := sdkworker.New(connected, w.config.Temporal.TaskQueue, asVersion(options(w.config.Limits, w.fail), w.config.Deployment))
	registerWorkflows(common)
	common.RegisterActivity(w.activities)
	running.add(common)
	if w.queue != "" {
		// It has one version for as long as it lives, and no deployment.
		own := sdkworker.New(connected, w.queue, ownOptions(w.fail))
		own.RegisterActivity(w.activities)
		running.add(own)
	}
	return running, nil
}

// fail is called by the SDK when it cannot go on, once for each of the queues:
// the namespace is gone, the credentials were withdrawn.
func (w *Worker) fail(err error) {
	w.logger.Error("worker cannot go on", zap.Error(err))
	w.end(fmt.Errorf("worker: task queue %q: %w", w.config.Temporal.TaskQueue, err))
}
