package starter

import (
	"context"
	"time"
)

// backoff gives pauses that double from low to high.
type backoff struct {
	low, high time.Duration
	current   time.Duration
}

func (b *backoff) next() time.Duration {
	b.current = min(max(2*b.current, b.low), b.high)
	return b.current
}

func (b *backoff) reset() { b.current = 0 }

// pause waits, or returns the error of a context that ends before.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
