package mcp

import (
	"context"
	"slices"
	"sync"
	"time"

	"errand/tools/schema"
)

// pool holds the connections to one target. Calls share them: the least busy
// one is taken, and another opened when all are busy and there may be more.
type pool struct {
	connector connector
	schemas   *schema.Cache

	mu      sync.Mutex
	slots   []*slot
	opening int
	opened  int // connections ever opened
	closed  bool
	used    time.Time
	// changed is closed, and replaced, when a slot may have become free.
	changed chan struct{}

	list listCache
	// closing are the connections on their way out.
	closing sync.WaitGroup
}

// slot is a connection and how many calls are in flight on it.
type slot struct {
	conn *connection
	busy int
	idle time.Time // since when it has not been busy
}

func newPool(t target, log Logger, schemas *schema.Cache) *pool {
	p := &pool{schemas: schemas, changed: make(chan struct{}), used: time.Now()}
	p.list.gate = make(chan struct{}, 1)
	p.connector = connector{target: t, log: log, changed: p.list.forget}
	return p
}

var errPoolClosed = &Failure{Kind: Unreachable, Unprocessed: true, Message: "the worker is stopping"}

func (p *pool) acquire(ctx context.Context) (*slot, error) {
	for {
		p.mu.Lock()
		p.used = time.Now()
		p.dropLost()
		best := p.leastBusy()
		full := len(p.slots)+p.opening >= p.connector.target.PoolSize
		switch {
		case p.closed:
			p.mu.Unlock()
			return nil, errPoolClosed
		case best != nil && (best.busy == 0 || full):
			best.busy++
			p.mu.Unlock()
			return best, nil
		case !full:
			p.opening++
			p.mu.Unlock()
			return p.open(ctx)
		}
		wait := p.changed
		p.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (p *pool) leastBusy() *slot {
	var best *slot
	for _, s := range p.slots {
		if best == nil || s.busy < best.busy {
			best = s
		}
	}
	return best
}

// dropLost takes out the connections that have ended. Calls that are still on
// one have it, and close it.
func (p *pool) dropLost() {
	p.slots = slices.DeleteFunc(p.slots, func(s *slot) bool {
		if !s.conn.interceptor.isLost() {
			return false
		}
		p.closing.Go(s.conn.close)
		return true
	})
}

func (p *pool) open(ctx context.Context) (*slot, error) {
	made, err := p.connector.open(ctx)
	if err == nil && made.modern && made.process == nil {
		// The library mirrors parameters into headers only of tools it has listed.
		_, _, err = made.list(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opening--
	defer p.signal()
	switch {
	case err != nil:
		if made != nil {
			p.closing.Go(made.close)
		}
		return nil, err
	case p.closed:
		p.closing.Go(made.close)
		return nil, errPoolClosed
	}
	if p.opened++; p.opened > 1 {
		p.list.forget() // the server may be another one by now
	}
	p.connector.log.Debug("mcp server connected", "server", p.connector.target.Name, "protocol", made.version)
	s := &slot{conn: made, busy: 1}
	p.slots = append(p.slots, s)
	return s, nil
}

// signal wakes who waits for a slot. The lock is held.
func (p *pool) signal() {
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *pool) release(s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.busy--
	s.idle = time.Now()
	p.used = s.idle
	p.dropLost()
	p.signal()
}

const (
	maxAttempts = 3
	// maxPause bounds what a server may ask to wait inside one call.
	maxPause = 10 * time.Second
)

// do runs a request on a connection, again on another where that does no harm.
func (p *pool) do(ctx context.Context, repeatable bool, request func(context.Context, *connection) error) error {
	began := time.Now()
	for attempt := 1; ; attempt++ {
		err := p.tryOnce(ctx, request)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := failureOf(err)
		slow := f.Kind == Unreachable && time.Since(began) > 5*time.Second
		if attempt == maxAttempts || slow || !f.again(repeatable) || f.RetryAfter > maxPause {
			return f
		}
		if err := pause(ctx, max(f.RetryAfter, time.Duration(attempt-1)*200*time.Millisecond)); err != nil {
			return err
		}
	}
}

func (p *pool) tryOnce(ctx context.Context, request func(context.Context, *connection) error) error {
	s, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer p.release(s)
	return request(ctx, s.conn)
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// evict closes connections that nobody has used for a while, and tells whether
// the pool itself may be forgotten. One with a call in flight stays.
func (p *pool) evict(now time.Time) (forgotten bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	limit := p.connector.target.IdleTimeout
	p.dropLost()
	p.slots = slices.DeleteFunc(p.slots, func(s *slot) bool {
		if s.busy > 0 || now.Sub(s.idle) < limit {
			return false
		}
		p.closing.Go(s.conn.close)
		return true
	})
	forgotten = len(p.slots) == 0 && p.opening == 0 && now.Sub(p.used) > limit+time.Minute
	p.closed = p.closed || forgotten
	return forgotten
}

// close ends every connection and waits for it.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	slots := p.slots
	p.slots = nil
	p.signal()
	p.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range slots {
		all.Go(s.conn.close)
	}
	all.Wait()
	p.closing.Wait()
}

// closeIdle closes the connections that nobody uses now.
func (p *pool) closeIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slots = slices.DeleteFunc(p.slots, func(s *slot) bool {
		if s.busy == 0 {
			p.closing.Go(s.conn.close)
		}
		return s.busy == 0
	})
}
