package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"errand/workflows/contract"
)

// maxLease bounds how long a call waits for the next process when one that has
// worked on it for long dies.
const maxLease = 10 * time.Minute

// errLeaseOver interrupts a handler whose claim could not be renewed in time:
// from then on another process may execute the call.
var errLeaseOver = errors.New("the lease ran out without a renewal")

// held is a claim on one call.
type held struct {
	claim contract.Claim
	lease time.Duration
	// until is when it ends, by a clock that started before the claim was
	// sent: never later than what the run says.
	until time.Time
}

// claim takes a call for one lease.
func (c *clerk) claim(ctx context.Context, actionID string) (held, error) {
	h := held{
		claim: contract.Claim{ActionID: actionID, Owner: c.options.owner, Lease: c.options.lease.String()},
		lease: c.options.lease, until: time.Now().Add(c.options.lease),
	}
	if _, err := c.run.Claim(ctx, h.claim); err != nil {
		return h, err
	}
	if !time.Now().Before(h.until) {
		return h, errLeaseOver
	}
	return h, nil
}

// extend claims again. A run takes a bounded number of updates, so whoever
// takes long claims for longer at a time.
func (c *clerk) extend(ctx context.Context, h *held) error {
	longer := min(h.lease*2, max(c.options.lease, maxLease))
	claim := h.claim
	claim.Lease = longer.String()
	until := time.Now().Add(longer)
	ctx, cancel := context.WithDeadline(ctx, h.until)
	defer cancel()
	if _, err := c.run.Claim(ctx, claim); err != nil {
		return err
	}
	h.lease, h.until = longer, until
	return nil
}

// renew keeps a claim alive. The context that it returns ends when the claim is
// lost, or when its lease runs out because no renewal got through. Call the
// function when the call is settled.
func (c *clerk) renew(job context.Context, h held, log *zap.Logger) (context.Context, func()) {
	holding, lose := context.WithCancelCause(job)
	// A handler may go on after it was told to end.
	ctx, cancel := context.WithCancel(context.WithoutCancel(job))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.keep(ctx, h, log); err != nil && open(job) {
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
func (c *clerk) keep(ctx context.Context, h held, log *zap.Logger) error {
	for wait := h.lease / 3; pause(ctx, min(wait, time.Until(h.until))) == nil; {
		if !time.Now().Before(h.until) {
			return errLeaseOver
		}
		err := c.extend(ctx, &h)
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
