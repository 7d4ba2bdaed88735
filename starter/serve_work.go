package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"errand/tools"
	"errand/workflows"
)

const (
	// claimAgain is the pause after a claim that was refused or lost.
	claimAgain = time.Second
	// grace is how long an outcome may take to be delivered after Serve was
	// told to end: what a handler has done should be known.
	grace = 10 * time.Second
)

// execute claims one call, runs its handler and delivers the outcome. stop
// ends job, which is what the handler sees.
func (s *server) execute(job context.Context, stop context.CancelCauseFunc, a workflows.OpenAction, handler Handler) finished {
	log := s.log.With(zap.String("action_id", a.ActionID), zap.String("tool", a.Tool))
	claim := workflows.Claim{ActionID: a.ActionID, Owner: s.options.owner, Lease: s.options.lease.String()}
	if _, err := s.run.Claim(job, claim); err != nil {
		return s.unclaimed(job, err, log)
	}
	stopRenewing := s.renew(job, stop, claim, log)
	defer stopRenewing()

	call := newCall(a)
	answer := refuse(workflows.Answer{ToolCallID: a.ToolCallID, ActionID: a.ActionID}, a.Tool)
	if handler != nil {
		limited, cancel := within(job, a.ExpiresAt)
		defer cancel()
		var err error
		if answer, err = invoke(limited, call, handler, log); err != nil {
			if limited.Err() != nil {
				log.Info("a call was interrupted and is left open", zap.Error(context.Cause(limited)))
				return finished{pause: claimAgain, off: errors.Is(context.Cause(job), errSettledElsewhere)}
			}
			log.Warn("a handler failed", zap.Error(err))
		}
	}
	round, _, _ := workflows.Place(a.ActionID)
	s.answered.Store(callKey{round, a.ToolCallID}, true)
	return s.deliver(job, log, func(ctx context.Context) error {
		_, err := s.run.Answer(ctx, answer)
		if large := new(TooLargeError); asA(err, &large) {
			log.Warn("an output is too large", zap.Error(large))
			message := fmt.Sprintf("the output of '%s' is %d bytes: at most %d are taken", a.Tool, large.Size, large.Limit)
			_, err = s.run.Answer(ctx, failure(answer, tools.ErrOutputTooLarge, message))
		}
		return err
	})
}

// unclaimed says what to do about a call that could not be claimed.
func (s *server) unclaimed(job context.Context, err error, log *zap.Logger) finished {
	switch {
	case job.Err() != nil, errors.Is(err, ErrNoReply), errors.Is(err, ErrEnded), isA[*RefusedError](err):
		log.Debug("not claimed", zap.Error(err))
		return finished{pause: claimAgain}
	}
	return finished{err: err}
}

// maxLease bounds how long a call waits for the next process when one that has
// worked on it for long dies.
const maxLease = 10 * time.Minute

// renew keeps a claim alive, and ends job when it is lost. Call the function
// that it returns when the call is settled.
func (s *server) renew(job context.Context, stop context.CancelCauseFunc, claim workflows.Claim, log *zap.Logger) func() {
	ctx, cancel := context.WithCancel(job)
	done := make(chan struct{})
	go func() {
		defer close(done)
		lease := s.options.lease
		for pause(ctx, lease/3) == nil {
			// A run takes a bounded number of updates, so a handler that takes
			// long claims for longer at a time.
			lease = min(lease*2, max(s.options.lease, maxLease))
			claim.Lease = lease.String()
			_, err := s.run.Claim(ctx, claim)
			switch {
			case err == nil, ctx.Err() != nil:
			case errors.Is(err, ErrNoReply):
				log.Warn("a claim could not be renewed yet", zap.Error(err))
			default:
				log.Warn("a claim was lost", zap.Error(err))
				stop(fmt.Errorf("claim lost: %w", err))
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// deliver sends what settles a call or an approval until it is known how that
// went. Whoever was first counts; coming second is no error.
func (s *server) deliver(job context.Context, log *zap.Logger, send func(context.Context) error) finished {
	ctx, cancel := outlive(job, grace)
	defer cancel()
	for {
		err := send(ctx)
		switch {
		case err == nil:
			return finished{off: true}
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
func (s *server) ask(job context.Context, a workflows.OpenApproval) finished {
	log := s.log.With(zap.String("approval_request_id", a.ApprovalRequestID), zap.String("tool", a.Tool))
	approve, reason, err := s.decide(job, a, log)
	if err != nil {
		log.Warn("an approval request is left open", zap.Error(err))
		return finished{pause: s.options.lease}
	}
	return s.deliver(job, log, func(ctx context.Context) error {
		_, err := s.run.Approve(ctx, decision(a.ApprovalRequestID, approve, reason, s.options.owner))
		return err
	})
}

func (s *server) decide(ctx context.Context, a workflows.OpenApproval, log *zap.Logger) (approve bool, why string, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = panicked(reason, "an approval function panicked", log)
		}
	}()
	if approve, why, err = s.options.decide(ctx, a); err != nil {
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
