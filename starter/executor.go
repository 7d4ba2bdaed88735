package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"errand/tools"
)

const (
	// claimAgain is the pause after a claim that was refused or lost.
	claimAgain = time.Second
	// deliveryGrace is how long an outcome may take to be delivered after Serve was
	// told to end: what a handler has done should be known.
	deliveryGrace = 10 * time.Second
)

// executor does the work of serving one run, a call or an approval at a time. It
// knows nothing of what else is open.
type executor struct {
	run      *Run
	handlers Handlers
	options  serveOptions
	log      *zap.Logger
	settled  settledFunc
}

// settledFunc is told of every answer that was taken, and why the call failed if
// it did. It may be nil.
type settledFunc func(OpenAction, error)

// execute claims one call, runs its handler and delivers the outcome. A nil
// handler refuses the call.
func (e *executor) execute(job context.Context, a OpenAction, handler Handler) finished {
	log := e.log.With(zap.String("action_id", a.ActionID), zap.String("tool", a.Tool))
	claimed, err := e.claim(job, a.ActionID)
	if err != nil {
		return e.unclaimed(job, err, log)
	}
	holding, stopRenewing := e.renew(job, claimed, log)
	defer stopRenewing()
	limited, cancel := within(holding, a.ExpiresAt)
	defer cancel()
	answer, err := e.outcome(limited, a, handler, log)
	if err != nil {
		if limited.Err() != nil && handler != nil {
			log.Info("a call was interrupted and is left open", zap.Error(context.Cause(limited)))
			return finished{pause: claimAgain, off: errors.Is(context.Cause(job), errSettledElsewhere)}
		}
		log.Warn("a call failed", zap.Error(err))
	}
	done, taken := e.deliver(job, log, func(ctx context.Context) error { return e.answer(ctx, a, answer, log) })
	if taken && e.settled != nil {
		e.settled(a, err)
	}
	return done
}

// outcome is the answer to a call, and why that says that it failed, if so.
func (e *executor) outcome(ctx context.Context, a OpenAction, handler Handler, log *zap.Logger) (Answer, error) {
	answer := Answer{ToolCallID: a.ToolCallID, ActionID: a.ActionID}
	if handler == nil {
		return refuse(answer, a.Tool), &NoHandlerError{Tool: handlerName(a.Manifest)}
	}
	if missing := e.options.missing(a.Manifest); len(missing) > 0 {
		err := lacking(a.Tool, missing)
		return failure(answer, tools.ErrInvalidArguments, err.Error()), err
	}
	return invoke(ctx, newCall(a), handler, log)
}

// answer sends an outcome, or that it is too large to be sent or does not fit
// the schema of its tool.
func (e *executor) answer(ctx context.Context, a OpenAction, answer Answer, log *zap.Logger) error {
	_, err := e.run.Answer(ctx, answer)
	if large := new(TooLargeError); asA(err, &large) {
		log.Warn("an output is too large", zap.Error(large))
		message := fmt.Sprintf("the output of '%s' is %d bytes: at most %d are taken", a.Tool, large.Size, large.Limit)
		_, err = e.run.Answer(ctx, failure(answer, tools.ErrOutputTooLarge, message))
	}
	if refused := new(RefusedError); asA(err, &refused) && refused.Type == RefusedOutput {
		log.Warn("an output does not fit its schema", zap.Error(refused))
		_, err = e.run.Answer(ctx, failure(answer, tools.ErrExecutionFailed, fmt.Sprintf("Error for '%s': %s", a.Tool, refused.Reason)))
	}
	return err
}

// unclaimed says what to do about a call that could not be claimed.
func (e *executor) unclaimed(job context.Context, err error, log *zap.Logger) finished {
	switch {
	case job.Err() != nil, errors.Is(err, ErrNoReply), errors.Is(err, ErrEnded), errors.Is(err, errLeaseOver), isA[*RefusedError](err):
		log.Debug("not claimed", zap.Error(err))
		return finished{pause: claimAgain}
	}
	return finished{err: err}
}

// deliver sends what settles a call or an approval until it is known how that
// went, and whether the run took it. Whoever was first counts; coming second is
// no error.
func (e *executor) deliver(job context.Context, log *zap.Logger, send func(context.Context) error) (done finished, taken bool) {
	ctx, cancel := outlive(job, deliveryGrace)
	defer cancel()
	for {
		err := send(ctx)
		switch {
		case err == nil:
			return finished{off: true}, true
		case errors.Is(err, ErrEnded), isA[*RefusedError](err):
			log.Info("an outcome was not taken", zap.Error(err))
			return finished{off: true}, false
		case ctx.Err() != nil:
			log.Warn("an outcome could not be delivered", zap.Error(err))
			return finished{pause: claimAgain}, false
		case !errors.Is(err, ErrNoReply):
			return finished{err: err}, false
		}
		log.Warn("an outcome could not be delivered yet", zap.Error(err))
	}
}

// approve has a person, or whoever decides, answer one approval request.
func (e *executor) approve(job context.Context, a OpenApproval) finished {
	log := e.log.With(zap.String("approval_request_id", a.ApprovalRequestID), zap.String("tool", a.Tool))
	approve, reason, err := e.decide(job, a, log)
	if err != nil {
		log.Warn("an approval request is left open", zap.Error(err))
		return finished{pause: e.options.lease}
	}
	done, _ := e.deliver(job, log, func(ctx context.Context) error {
		_, err := e.run.Approve(ctx, decision(a.ApprovalRequestID, approve, reason, e.options.owner))
		return err
	})
	return done
}

func (e *executor) decide(ctx context.Context, a OpenApproval, log *zap.Logger) (approve bool, why string, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = panicked(reason, "an approval function panicked", log)
		}
	}()
	if approve, why, err = e.options.decide(ctx, a); err != nil {
		err = errors.New(err.Error()) // its methods may panic, so they are called here
	}
	return approve, why, err
}

// within is ctx with a deadline, unless that is zero.
func within(ctx context.Context, deadline time.Time) (context.Context, context.CancelFunc) {
	if deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline)
}

// outlive is a context that ends a while after ctx does.
func outlive(ctx context.Context, extra time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if pause(longer, extra) == nil {
			cancel()
		}
	})
	return longer, func() {
		stop()
		cancel()
	}
}

// maxLease bounds how long a call waits for the next process when one that has
// worked on it for long dies.
const maxLease = 10 * time.Minute

// errLeaseOver interrupts a handler whose claim could not be renewed in time:
// from then on another process may execute the call.
var errLeaseOver = errors.New("the lease ran out without a renewal")

// leased is a claim on one call.
type leased struct {
	claim Claim
	lease time.Duration
	// until is when it ends, by a clock that started before the claim was
	// sent: never later than what the run says.
	until time.Time
}

// claim takes a call for one lease.
func (e *executor) claim(ctx context.Context, actionID string) (leased, error) {
	h := leased{
		claim: Claim{ActionID: actionID, Owner: e.options.owner, Lease: e.options.lease.String()},
		lease: e.options.lease, until: time.Now().Add(e.options.lease),
	}
	if _, err := e.run.Claim(ctx, h.claim); err != nil {
		return h, err
	}
	if !time.Now().Before(h.until) {
		return h, errLeaseOver
	}
	return h, nil
}

// extend claims again. A run takes a bounded number of updates, so whoever
// takes long claims for longer at a time.
func (e *executor) extend(ctx context.Context, h *leased) error {
	longer := min(h.lease*2, max(e.options.lease, maxLease))
	claim := h.claim
	claim.Lease = longer.String()
	until := time.Now().Add(longer)
	ctx, cancel := context.WithDeadline(ctx, h.until)
	defer cancel()
	if _, err := e.run.Claim(ctx, claim); err != nil {
		return err
	}
	h.lease, h.until = longer, until
	return nil
}

// renew keeps a claim alive. The context that it returns ends when the claim is
// lost, or when its lease runs out because no renewal got through. Call the
// function when the call is settled.
func (e *executor) renew(job context.Context, h leased, log *zap.Logger) (context.Context, func()) {
	holding, lose := context.WithCancelCause(job)
	// A handler may go on after it was told to end.
	ctx, cancel := context.WithCancel(context.WithoutCancel(job))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := e.keep(ctx, h, log); err != nil && open(job) {
			log.Warn("a claim was lost", zap.Error(err))
			lose(fmt.Errorf("claim lost: %w", err))
		}
	}()
	return holding, func() {
		cancel()
		<-done
		lose(nil)
	}
}

// open tells whether a call can still be open, as far as job knows.
func open(job context.Context) bool {
	why := context.Cause(job)
	return !errors.Is(why, ErrEnded) && !errors.Is(why, errSettledElsewhere)
}

// keep renews until ctx ends, which is no error, or the claim is lost.
func (e *executor) keep(ctx context.Context, h leased, log *zap.Logger) error {
	for wait := h.lease / 3; pause(ctx, min(wait, time.Until(h.until))) == nil; {
		if !time.Now().Before(h.until) {
			return errLeaseOver
		}
		err := e.extend(ctx, &h)
		switch {
		case err == nil:
			wait = h.lease / 3
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, ErrNoReply), errors.Is(err, context.DeadlineExceeded):
			log.Warn("a claim could not be renewed yet", zap.Error(err))
			wait = claimAgain
		default:
			return err
		}
	}
	return nil
}
