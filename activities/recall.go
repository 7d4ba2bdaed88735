package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"errand/workflows/contract"
)

// surface returns the surface with this digest: held here, or asked from the
// run.
func (a *Activities) surface(ctx context.Context, digest string) (*border, error) {
	held, ok := a.held.surfaces.get(digest)
	remembered(ctx, contract.QuerySurface, ok)
	if ok {
		return held, nil
	}
	var text strings.Builder
	for done := false; !done; {
		var page contract.SurfacePage
		if err := a.ask(ctx, contract.QuerySurface, contract.PageQuery{From: text.Len()}, &page); err != nil {
			return nil, err
		}
		text.WriteString(page.Text)
		done = page.Done
	}
	if got := Digest([]byte(text.String())); got != digest {
		return nil, fmt.Errorf("the run's surface has digest %s, wanted %s", got, digest)
	}
	var s Surface
	if err := json.Unmarshal([]byte(text.String()), &s); err != nil {
		return nil, fmt.Errorf("read the run's surface: %w", err)
	}
	b := newBorder(s)
	a.held.surfaces.put(digest, b, text.Len())
	return b, nil
}

// conversation returns the run's first in.Length items: from what is held
// here, what the input brought, and for the rest from the run itself.
func (a *Activities) conversation(ctx context.Context, key string, in InferInput) (conversation, error) {
	c, _ := a.held.conversations.get(key)
	if len(c.items) > in.Length {
		c = c.first(in.Length)
	}
	in.Items = a.unnamed(c, in)
	whole, ok := complete(c, in)
	remembered(ctx, contract.QueryConversation, ok)
	if ok {
		return whole, nil
	}
	if len(c.items) >= in.From && len(c.items) < in.From+len(in.Items) {
		c = c.first(in.From).with(in.Items...)
	}
	for restarted := false; ; {
		for len(c.items) < in.Length {
			var page contract.ItemsPage
			if err := a.ask(ctx, contract.QueryConversation, contract.PageQuery{From: len(c.items)}, &page); err != nil {
				return conversation{}, err
			}
			if len(page.Items) == 0 {
				return conversation{}, fmt.Errorf("the run has %d items, wanted %d", len(c.items), in.Length)
			}
			c = c.with(page.Items[:min(len(page.Items), in.Length-len(c.items))]...)
		}
		if c.digest() == in.Digest {
			return c, nil
		}
		if restarted {
			return conversation{}, fmt.Errorf("the run's conversation has digest %s, wanted %s", c.digest(), in.Digest)
		}
		c, restarted = conversation{}, true // what was held here is from another branch: the run was reset
	}
}

// complete tries to reach the wanted conversation without asking the run.
func complete(c conversation, in InferInput) (conversation, bool) {
	if len(c.items) < in.Length && len(in.Items) > 0 && len(c.items) >= in.From {
		c = c.first(in.From).with(in.Items...)
	}
	return c, len(c.items) == in.Length && c.digest() == in.Digest
}

// ask queries the run that this activity belongs to. Queries are few at a time
// on a server, so a refusal is tried again.
func (a *Activities) ask(ctx context.Context, query string, arg, answer any) error {
	run := activity.GetInfo(ctx).WorkflowExecution
	var err error
	for pause := 100 * time.Millisecond; pause < 4*time.Second; pause *= 2 {
		value, queryErr := a.engine.QueryWorkflow(ctx, run.ID, run.RunID, query, arg)
		if queryErr == nil {
			return value.Get(answer)
		}
		err = queryErr
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return fmt.Errorf("ask the run for its %s: %w", query, err)
}
