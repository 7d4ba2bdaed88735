package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"errand/tools"
	"errand/workflows/contract"
)

const (
	// claimAgain is the pause after a claim that was refused or lost.
	claimAgain = time.Second
	// grace is how long an outcome may take to be delivered after Serve was
	// told to end: what a handler has done should be known.
	grace = 10 * time.Second
)

// clerk does the work of serving one run, a call or an approval at a time. It
// knows nothing of what else is open.
type clerk struct {
	run      *Run
	handlers Handlers
	options  serveOptions
	log      *zap.Logger
	// settling is told of every call that is about to be answered, settled of
	// every answer that was taken, and why the call failed if it did. Both may
	// be nil.
	settling func(contract.OpenAction)
	settled  func(contract.OpenAction, error)
}

// execute claims one call, runs its handler and delivers the outcome. A nil
// handler refuses the call.
func (c *clerk) execute(job context.Context, a contract.OpenAction, handler Handler) finished {
	log := c.log.With(zap.String("action_id", a.ActionID), zap.String("tool", a.Tool))
	held, err := c.claim(job, a.ActionID)
	if err != nil {
		return c.unclaimed(job, err, log)
	}
	holding, stopRenewing := c.renew(job, held, log)
	defer stopRenewing()
	limited, cancel := within(holding, a.ExpiresAt)
	defer cancel()
	answer, err := c.outcome(limited, a, handler, log)
	if err != nil {
		if limited.Err() != nil && handler != nil {
			log.Info("a call was interrupted and is left open", zap.Error(context.Cause(limited)))
			return finished{pause: claimAgain, off: errors.Is(context.Cause(job), errSettledElsewhere)}
		}
		log.Warn("a call failed", zap.Error(err))
	}
	if c.settling != nil {
		c.settling(a)
	}
	done := c.deliver(job, log, func(ctx context.Context) error { return c.answer(ctx, a, answer, log) })
	if done.taken && c.settled != nil {
		c.settled(a, err)
	}
	return done
}

// outcome is the answer to a call, and why that says that it failed, if so.
func (c *clerk) outcome(ctx context.Context, a contract.OpenAction, handler Handler, log *zap.Logger) (contract.Answer, error) {
	answer := contract.Answer{ToolCallID: a.ToolCallID, ActionID: a.ActionID}
	if handler == nil {
		return refuse(answer, a.Tool), &NoHandlerError{Tool: handlerName(a.Manifest)}
	}
	if missing := c.options.missing(a.Manifest); len(missing) > 0 {
		err := lacking(a.Tool, missing)
		return failure(answer, tools.ErrInvalidArguments, err.Error()), err
	}
	return invoke(ctx, newCall(a), handler, log)
}

// answer sends an outcome, or that it is too large to be sent or does not fit
// the schema of its tool.
func (c *clerk) answer(ctx context.Context, a contract.OpenAction, answer contract.Answer, log *zap.Logger) error {
	_, err := c.run.Answer(ctx, answer)
	if large := new(TooLargeError); asA(err, &large) {
		log.Warn("an output is too large", zap.Error(large))
		message := fmt.Sprintf("the output of '%s' is %d bytes: at most %d are taken", a.Tool, large.Size, large.Limit)
		_, err = c.run.Answer(ctx, failure(answer, tools.ErrOutputTooLarge, message))
	}
	if refused := new(RefusedError); asA(err, &refused) && refused.Type == contract.RefusedOutput {
		log.Warn("an output does not fit its schema", zap.Error(refused))
		_, err = c.run.Answer(ctx, failure(answer, tools.ErrExecutionFailed, fmt.Sprintf("Error for '%s': %s", a.Tool, refused.Reason)))
	}
	return err
}

// unclaimed says what to do about a call that could not be claimed.
func (c *clerk) unclaimed(job context.Context, err error, log *zap.Logger) finished {
	switch {
	case job.Err() != nil, errors.Is(err, ErrNoReply), errors.Is(err, ErrEnded), errors.Is(err, errLeaseOver), isA[*RefusedError](err):
		log.Debug("not claimed", zap.Error(err))
		return finished{pause: claimAgain}
	}
	return finished{err: err}
}

// deliver sends what settles a call or an approval until it is known how that
// went. Whoever was first counts; coming second is no error.
func (c *clerk) deliver(job context.Context, log *zap.Logger, send func(context.Context) error) finished {
	ctx, cancel := outlive(job, grace)
	defer cancel()
	for {
		err := send(ctx)
		switch {
		case err == nil:
			return finished{off: true, taken: true}
		case errors.Is(err, ErrEnded), isA[*RefusedError](err):
			log.Info("an outcome was not taken", zap.Error(err))
			return finished{off: true}
		case ctx.Err() != nil:
			log.Warn("an outcome could not be delivered", zap.Error(err))
			return finished{pause: claimAgain}
		case !errors.Is(err, ErrNoReply):
			return finished{err: err}
		}
		log.Warn("an outcome could not be delivered yet", zap.Error(err))
	}
}

// ask has a person, or whoever decides, answer one approval request.
func (c *clerk) ask(job context.Context, a contract.OpenApproval) finished {
	log := c.log.With(zap.String("approval_request_id", a.ApprovalRequestID), zap.String("tool", a.Tool))
	approve, reason, err := c.decide(job, a, log)
	if err != nil {
		log.Warn("an approval request is left open", zap.Error(err))
		return finished{pause: c.options.lease}
	}
	return c.deliver(job, log, func(ctx context.Context) error {
		_, err := c.run.Approve(ctx, decision(a.ApprovalRequestID, approve, reason, c.options.owner))
		return err
	})
}

func (c *clerk) decide(ctx context.Context, a contract.OpenApproval, log *zap.Logger) (approve bool, why string, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = panicked(reason, "an approval function panicked", log)
		}
	}()
	if approve, why, err = c.options.decide(ctx, a); err != nil {
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
