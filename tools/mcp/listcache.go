package mcp

import (
	"context"
	"sync"
	"time"
)

// listFor is how long a list of tools counts as fresh. Over HTTP a server
// cannot say that it has changed.
const listFor = time.Minute

// listCache is the last list of a server's tools.
type listCache struct {
	gate chan struct{} // holds one: the list is read by one caller at a time

	mu       sync.Mutex
	current  *catalog
	fresh    time.Time
	outdated int // grows when the server says that its tools have changed
}

// catalog is a list of tools. It is not changed once it is made.
type catalog struct {
	tools    []listed
	byName   map[string]*listed
	warnings []string
	version  string
}

func (l *listCache) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.current = nil
	l.outdated++
}

func (l *listCache) get() (*catalog, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != nil && time.Since(l.fresh) > listFor {
		l.current = nil
	}
	return l.current, l.outdated
}

// put keeps a list, unless the server's tools have changed since it was asked.
func (l *listCache) put(c *catalog, asked int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.outdated == asked {
		l.current, l.fresh = c, time.Now()
	}
}

// catalog is the list of the server's tools, read if it is not fresh.
func (p *pool) catalog(ctx context.Context) (*catalog, error) {
	if c, _ := p.list.get(); c != nil {
		return c, nil
	}
	select {
	case p.list.gate <- struct{}{}:
		defer func() { <-p.list.gate }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c, _ := p.list.get(); c != nil { // somebody has read it meanwhile
		return c, nil
	}
	var made *catalog
	asked := 0
	err := p.do(ctx, true, func(ctx context.Context, c *conn) error {
		_, asked = p.list.get()
		raw, refused, err := c.list(ctx)
		if err != nil {
			return err
		}
		made = newCatalog(p.schemas, c.version, raw, refused)
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.list.put(made, asked)
	return made, nil
}
