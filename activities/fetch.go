package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"

	"errand/activities/cache"
	"errand/activities/translate"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// surface returns the surface with this digest: kept here, or asked from the
// run.
func (a *Activities) surface(ctx context.Context, digest string) (*translate.Translator, error) {
	kept, ok := a.caches.surfaces.Get(digest)
	countLookup(ctx, contract.QuerySurface, ok)
	if ok {
		return kept, nil
	}
	var text strings.Builder
	for done := false; !done; {
		var page contract.SurfacePage
		if err := a.query(ctx, contract.QuerySurface, contract.PageQuery{From: text.Len()}, &page); err != nil {
			return nil, err
		}
		text.WriteString(page.Text)
		done = page.Done
	}
	if got := item.Digest([]byte(text.String())); got != digest {
		return nil, fmt.Errorf("the run's surface has digest %s, wanted %s", got, digest)
	}
	var s translate.Surface
	if err := json.Unmarshal([]byte(text.String()), &s); err != nil {
		return nil, fmt.Errorf("read the run's surface: %w", err)
	}
	b := translate.New(s)
	a.caches.surfaces.Put(digest, b, text.Len())
	return b, nil
}

// conversation returns the run's first in.Length items: from what is kept
// here, what the input brought, and for the rest from the run itself.
func (a *Activities) conversation(ctx context.Context, key string, in InferInput) (cache.Conversation, error) {
	c, _ := a.caches.conversations.Get(key)
	if len(c.Items) > in.Length {
		c = c.First(in.Length)
	}
	in.Items = a.resolveRefs(c, in)
	whole, ok := complete(c, in)
	countLookup(ctx, contract.QueryConversation, ok)
	if ok {
		return whole, nil
	}
	if len(c.Items) >= in.From && len(c.Items) < in.From+len(in.Items) {
		c = c.First(in.From).With(in.Items...)
	}
	for restarted := false; ; {
		for len(c.Items) < in.Length {
			var page contract.ItemsPage
			if err := a.query(ctx, contract.QueryConversation, contract.PageQuery{From: len(c.Items)}, &page); err != nil {
				return cache.Conversation{}, err
			}
			if len(page.Items) == 0 {
				return cache.Conversation{}, fmt.Errorf("the run has %d items, wanted %d", len(c.Items), in.Length)
			}
			c = c.With(page.Items[:min(len(page.Items), in.Length-len(c.Items))]...)
		}
		if c.Digest() == in.Digest {
			return c, nil
		}
		if restarted {
			return cache.Conversation{}, fmt.Errorf("the run's conversation has digest %s, wanted %s", c.Digest(), in.Digest)
		}
		c, restarted = cache.Conversation{}, true // what was kept here is from another branch: the run was reset
	}
}

// complete tries to reach the wanted conversation without asking the run.
func complete(c cache.Conversation, in InferInput) (cache.Conversation, bool) {
	if len(c.Items) < in.Length && len(in.Items) > 0 && len(c.Items) >= in.From {
		c = c.First(in.From).With(in.Items...)
	}
	return c, len(c.Items) == in.Length && c.Digest() == in.Digest
}

// query asks the run that this activity belongs to. Queries are few at a time
// on a server, so a refusal is tried again.
func (a *Activities) query(ctx context.Context, name string, arg, answer any) error {
	run := activity.GetInfo(ctx).WorkflowExecution
	var err error
	for pause := 100 * time.Millisecond; pause < 4*time.Second; pause *= 2 {
		value, queryErr := a.engine.QueryWorkflow(ctx, run.ID, run.RunID, name, arg)
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
	return fmt.Errorf("ask the run for its %s: %w", name, err)
}

// keepOutput keeps the output of a call as the item that it will be in the
// conversation, for the inference that comes next.
func (a *Activities) keepOutput(call tools.Call, outcome tools.Outcome) {
	it := item.Output(item.TypeFunctionCallOutput, call.ID, outcome.Output)
	if len(it) >= item.RefFrom {
		a.caches.items.Put(item.Ref(it), it, cache.ItemBytes(it))
	}
}

// resolveRefs are the items of an input with references replaced, up to the first
// that is not kept here. c is what is kept of the conversation.
func (a *Activities) resolveRefs(c cache.Conversation, in InferInput) []json.RawMessage {
	items := make([]json.RawMessage, 0, len(in.Items))
	for i, it := range in.Items {
		if ref, is := item.IsRef(it); is {
			var found bool
			if it, found = a.find(c, in.From+i, ref); !found {
				break
			}
		}
		items = append(items, it)
	}
	return items
}

func (a *Activities) find(c cache.Conversation, at int, ref string) (json.RawMessage, bool) {
	if at < len(c.Items) && item.Ref(c.Items[at]) == ref {
		return c.Items[at], true
	}
	return a.caches.items.Get(ref)
}

// Metrics of what a worker keeps between activities. The tag "of" says of what:
// conversation or surface. A miss costs one query or more.
const (
	MetricCacheHits   = "errand_memory_hits"
	MetricCacheMisses = "errand_memory_misses"
)

// countLookup counts whether what an inference needs was kept here.
func countLookup(ctx context.Context, of string, hit bool) {
	name := MetricCacheMisses
	if hit {
		name = MetricCacheHits
	}
	activity.GetMetricsHandler(ctx).WithTags(map[string]string{"of": of}).Counter(name).Inc(1)
}
