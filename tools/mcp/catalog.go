package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"errand/tools/schema"
)

const (
	maxPages = 100
	// MaxListed bounds the tools that are read of one server.
	MaxListed = 5000
)

// list reads the server's tools, each as the server wrote it. refused names
// those that the library must not call over HTTP.
func (c *connection) list(ctx context.Context) (all []json.RawMessage, refused map[string]bool, err error) {
	seen := map[string]bool{}
	refused = map[string]bool{}
	var request mcp.ListToolsRequest
	for range maxPages {
		record := &requestRecord{}
		known, err := c.client.ListToolsByPage(withRecord(ctx, record), request)
		if err != nil {
			return nil, nil, c.failure(ctx, record, err)
		}
		var page struct {
			Tools  []json.RawMessage `json:"tools"`
			Cursor *string           `json:"nextCursor"`
		}
		if err := json.Unmarshal(record.result, &page); err != nil {
			return nil, nil, &Failure{Kind: Malformed, Unprocessed: true, Message: "the server's list of tools cannot be read: " + err.Error()}
		}
		all = append(all, page.Tools...)
		c.noteRefused(record.result, known, refused)
		switch {
		case len(all) > MaxListed:
			return nil, nil, &Failure{Kind: TooLarge, Message: fmt.Sprintf("the server lists more than %d tools", MaxListed)}
		case page.Cursor == nil || (*page.Cursor == "" && !c.modern):
			return all, refused, nil
		case seen[*page.Cursor]:
			return nil, nil, &Failure{Kind: Malformed, Unprocessed: true, Message: fmt.Sprintf("the server's list of tools goes in circles: the cursor %q came twice", *page.Cursor)}
		}
		seen[*page.Cursor] = true
		request.Params.Cursor = mcp.Cursor(*page.Cursor)
	}
	return nil, nil, &Failure{Kind: Malformed, Unprocessed: true, Message: fmt.Sprintf("the server's list of tools has more than %d pages", maxPages)}
}

// noteRefused finds the tools that the library could read and left out: their
// headers break the rules of the modern protocol.
func (c *connection) noteRefused(result json.RawMessage, known *mcp.ListToolsResult, refused map[string]bool) {
	if !c.modern || c.process != nil {
		return
	}
	kept := map[string]bool{}
	for _, t := range known.Tools {
		kept[t.Name] = true
	}
	var page mcp.ListToolsResult
	if json.Unmarshal(readableTools(result), &page) == nil {
		for _, t := range page.Tools {
			refused[t.Name] = !kept[t.Name]
		}
	}
}

// catalog is a list of tools. It is not changed once it is made.
type catalog struct {
	tools    []serverTool
	byName   map[string]*serverTool
	warnings []string
	version  string
}

func newCatalog(ctx context.Context, schemas *schema.Cache, version string, raw []json.RawMessage, refused map[string]bool) *catalog {
	c := &catalog{version: version, byName: map[string]*serverTool{}}
	c.tools, c.warnings = readTools(ctx, raw, refused, schemas)
	for i := range c.tools {
		c.byName[c.tools[i].name] = &c.tools[i]
	}
	return c
}

// readTools reads the raw tools of a server. One that is malformed is left out
// with a warning; its siblings stay.
func readTools(ctx context.Context, raw []json.RawMessage, refused map[string]bool, schemas *schema.Cache) (all []serverTool, warnings []string) {
	seen, work := map[string]bool{}, schema.NewBudget(ctx)
	for i, one := range raw {
		t, complaint := readTool(one)
		switch {
		case complaint != "":
		case seen[t.name]:
			complaint = "is listed twice"
		case refused[t.name]:
			complaint = "has parameters that cannot be sent as headers"
		}
		if complaint != "" {
			name := t.name
			if name == "" {
				name = fmt.Sprintf("number %d", i+1)
			}
			warnings = append(warnings, fmt.Sprintf("tool %s is left out: it %s", excerpt(name), complaint))
			continue
		}
		seen[t.name] = true
		t.checkSchemas(schemas, work)
		warnings = append(warnings, t.warnings...)
		all = append(all, t)
	}
	return all, warnings
}

func unknownAllowed(allowed json.RawMessage, c *catalog) []string {
	var names []string
	if allowed != nil {
		for _, name := range parseFilter(allowed).names {
			if c.byName[name] == nil {
				names = append(names, name)
			}
		}
	}
	return names
}

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
	var (
		raw     []json.RawMessage
		refused map[string]bool
		version string
		asked   int
	)
	err := p.do(ctx, true, func(ctx context.Context, c *connection) (err error) {
		_, asked = p.list.get()
		version = c.version
		raw, refused, err = c.list(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	made := newCatalog(ctx, p.schemas, version, raw, refused)
	if ctx.Err() != nil { // a list whose schemas were not all compiled is not kept
		return nil, ctx.Err()
	}
	p.list.put(made, asked)
	return made, nil
}
