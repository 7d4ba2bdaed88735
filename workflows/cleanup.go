package workflows

import (
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/activities/session"
	"errand/workflows/contract"
)

// TypeCleanup is the workflow type that closes what a run has opened. The
// run's first session starts it as a child.
const TypeCleanup = "Cleanup"

// Signals from a run to its Cleanup.
const (
	// SignalLost names a session whose worker does not answer. Payload:
	// session.ID.
	SignalLost = "session_lost"
	// SignalRelease says that the run ends. Payload: ReleaseOrder.
	SignalRelease = "release"
)

// CleanupInput is the argument of Cleanup.
type CleanupInput struct {
	RunID string `json:"run_id"`
	// Chain is the id of the first run of the chain.
	Chain string `json:"chain"`
	// Number counts the Cleanups of the chain, from 1.
	Number int `json:"number"`
	// Held is what is open already, in a chain that goes on.
	Held []KeptSession `json:"held,omitempty"`
}

// KeptSession is a session that a Cleanup takes over. Lost is one whose
// worker does not answer, Closed one that its worker has closed, which said Error.
type KeptSession struct {
	session.Closed
	Lost bool `json:"lost,omitempty"`
	Gone bool `json:"closed,omitempty"`
}

// ReleaseOrder says what the run knows of its sessions.
type ReleaseOrder struct {
	// Opened ones are reported on. Failed ones were never open.
	Opened []session.Location `json:"opened,omitempty"`
	// Closed are those of Opened that their worker has closed, each with what it
	// said as Error. A Cleanup that came later was not told by the worker.
	Closed []session.Closed `json:"closed,omitempty"`
	Failed []session.ID     `json:"failed,omitempty"`
}

// CleanupResult reports on every session.
type CleanupResult struct {
	Released []contract.Release `json:"released"`
}

// Cleanup waits until its run ends and then closes every session, all at
// the same time; that one fails stops no other. A run that can say so sends
// release. If Cleanup is cancelled instead, the run has closed without: it was
// terminated, or ran out of time. Then it looks whether the run's chain goes on,
// and leaves quietly once its successor is there.
func Cleanup(ctx workflow.Context, in CleanupInput) (*CleanupResult, error) {
	detached, _ := workflow.NewDisconnectedContext(ctx)
	c := &cleanup{in: in}
	for _, k := range in.Held {
		e := c.add(k.Location)
		switch {
		case k.Gone:
			e.wasClosed(k.Error)
		case k.Lost:
			c.giveUp(detached, e)
		}
	}
	c.listen(detached)
	cancelled := func() bool { return ctx.Err() != nil }
	for pause := firstLook; c.order == nil; pause = min(2*pause, lastLook) {
		if c.wait(detached, pause, cancelled) {
			cancelled, pause = func() bool { return false }, shortLook
		}
		if c.order != nil {
			break
		}
		switch outlook := c.look(detached); {
		case c.order != nil: // it has spoken meanwhile
		case outlook.Relieved:
			return &CleanupResult{Released: []contract.Release{}}, nil
		case outlook.Ended:
			c.order = &ReleaseOrder{}
		}
	}
	c.closeAll(detached)
	return c.result(), nil
}

const (
	// A Cleanup that was not told anything looks after its run all the same: a
	// reset leaves it without one.
	firstLook, lastLook = time.Hour, 24 * time.Hour
	// shortLook is the first pause of one that was cancelled.
	shortLook = time.Second
)

// cleanup is the state of a Cleanup.
type cleanup struct {
	in      CleanupInput
	entries []*entry
	// order is nil until the run ends.
	order *ReleaseOrder
}

// entry is one session on one worker. A session whose first attempt was lost
// has one for each worker that was asked.
type entry struct {
	session.Location
	// closing is true once somebody closes it, closed once that is over. found
	// says that the worker did hold it, lost that it seemed gone.
	closing, closed, found, lost bool
	err                          string
}

func (e *entry) release() contract.Release {
	return contract.Release{Source: e.Session.Source, Epoch: e.Session.Epoch, Error: e.err}
}

// wasClosed takes note that its worker has closed a session.
func (e *entry) wasClosed(err string) { e.closing, e.closed, e.found, e.err = true, true, true, err }

func (c *cleanup) add(h session.Location) *entry {
	if e := c.find(h); e != nil {
		return e
	}
	e := &entry{Location: h}
	c.entries = append(c.entries, e)
	return e
}

func (c *cleanup) find(h session.Location) *entry {
	for _, e := range c.entries {
		if e.Session == h.Session && e.Queue == h.Queue {
			return e
		}
	}
	return nil
}

// listen takes what workers and the run have to say.
func (c *cleanup) listen(ctx workflow.Context) {
	take(ctx, session.SignalOpening, func(_ workflow.Context, h session.Location) { c.add(h) })
	take(ctx, session.SignalClosed, func(_ workflow.Context, h session.Closed) {
		if e := c.find(h.Location); e != nil && !e.closing {
			e.wasClosed(h.Error)
		}
	})
	take(ctx, SignalLost, func(ctx workflow.Context, key session.ID) {
		for _, e := range c.entries {
			if e.Session == key {
				c.giveUp(ctx, e)
			}
		}
	})
	take(ctx, SignalRelease, func(_ workflow.Context, order ReleaseOrder) {
		for _, h := range order.Closed {
			if e := c.add(h.Location); !e.closing {
				e.wasClosed(h.Error)
			}
		}
		c.order = &order
	})
}

func take[T any](ctx workflow.Context, signal string, do func(workflow.Context, T)) {
	channel := workflow.GetSignalChannel(ctx, signal)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var payload T
			channel.Receive(ctx, &payload)
			do(ctx, payload)
		}
	})
}

// wait waits for the run's order, for its end, or for the time to look.
func (c *cleanup) wait(ctx workflow.Context, pause time.Duration, cancelled func() bool) bool {
	timed, stop := workflow.WithCancel(ctx)
	timer := workflow.NewTimerWithOptions(timed, pause, workflow.TimerOptions{Summary: "look after the run"})
	_ = workflow.Await(ctx, func() bool { return c.order != nil || cancelled() || timer.IsReady() })
	if !timer.IsReady() {
		stop()
	}
	return cancelled()
}

func (c *cleanup) look(ctx workflow.Context) activities.CheckRunResult {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute,
		Summary:             "does the run go on?",
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute},
	})
	outlook, err := perform(ctx, acts.CheckRun, activities.CheckRunInput{
		Session:   session.ID{RunID: c.in.RunID, Chain: c.in.Chain},
		Successor: cleanupID(c.in.RunID, c.in.Chain, c.in.Number+1),
	})
	if err != nil {
		workflow.GetLogger(ctx).Warn("the run's outlook is not known", "error", err)
	}
	return outlook
}

// giveUp closes a session of which the run has lost sight, should its worker
// turn up again.
func (c *cleanup) giveUp(ctx workflow.Context, e *entry) {
	e.lost = true
	if e.closing {
		return
	}
	e.closing = true
	workflow.Go(ctx, func(ctx workflow.Context) { e.close(ctx, lostWait) })
}

// result reports on what the run knew to be open, and on what else was found
// open.
func (c *cleanup) result() *CleanupResult {
	result := &CleanupResult{Released: []contract.Release{}}
	for _, e := range c.entries {
		if !e.found && !slices.Contains(c.order.Opened, e.Location) {
			continue
		}
		one := e.release()
		if !e.closed {
			one.Error = fmt.Sprintf("the worker that held it (%s) was lost", e.Queue)
		}
		result.Released = append(result.Released, one)
	}
	return result
}

// closeAll closes what is open. It does not wait for workers that were
// lost: one that lives closes what it holds once it learns that the run is over.
func (c *cleanup) closeAll(ctx workflow.Context) {
	for _, e := range c.entries {
		if !c.open(e) {
			continue
		}
		e.closing = true
		workflow.Go(ctx, func(ctx workflow.Context) { e.close(ctx, workerWait) })
	}
	_ = workflow.Await(ctx, func() bool {
		return !slices.ContainsFunc(c.entries, func(e *entry) bool { return e.closing && !e.closed && !e.lost })
	})
	letOthersRun(ctx) // what has come in this step is to be closed too
	if c.someOpen() {
		c.closeAll(ctx)
	}
}

func (c *cleanup) someOpen() bool { return slices.ContainsFunc(c.entries, c.open) }

// open tells whether nobody has begun to close a session that may be open.
func (c *cleanup) open(e *entry) bool {
	return !e.closing && (c.order == nil || !slices.Contains(c.order.Failed, e.Session))
}

const (
	// workerWait is how long a worker may take to fetch what is for it alone.
	// After that it counts as lost.
	workerWait = 10 * time.Second
	// lostWait is for a worker that counts as lost already.
	lostWait = 10 * time.Minute
	// maxCloses bounds the attempts at closing a session. With two of them a run
	// that ends still hears of it within releaseLimit.
	maxCloses = 2
)

func (e *entry) close(ctx workflow.Context, wait time.Duration) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              e.Queue,
		ScheduleToStartTimeout: wait,
		StartToCloseTimeout:    30 * time.Second,
		HeartbeatTimeout:       activities.HeartbeatTimeout,
		Summary:                summary("deactivate %s", e.Session.String()),
		// A server that ends can lose the answer in which it hands a task out: the
		// worker has never seen it. Closing bears repeating.
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumAttempts: maxCloses},
	})
	out, err := perform(ctx, acts.CloseSession, e.Session)
	e.closed = true
	switch {
	case err != nil:
		e.err = fmt.Sprintf("the worker that held it (%s) did not answer", e.Queue)
	default:
		e.found, e.err = out.Closed, out.Error
	}
}
