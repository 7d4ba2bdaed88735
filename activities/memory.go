package activities

import (
	"encoding/json"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"
)

// sized is an LRU bounded by bytes. It is safe for concurrent use.
type sized[V any] struct {
	mu    sync.Mutex
	lru   *lru.LRU[string, entry[V]]
	bytes int
	limit int
}

type entry[V any] struct {
	value V
	bytes int
}

func newSized[V any](limit int) *sized[V] {
	s := &sized[V]{limit: limit}
	// The count is a second bound, for entries of no size.
	inner, err := lru.NewLRU(1<<20, func(_ string, e entry[V]) { s.bytes -= e.bytes })
	if err != nil { // only a size under 1 is refused
		panic(err)
	}
	s.lru = inner
	return s
}

func (s *sized[V]) get(key string) (V, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.lru.Get(key)
	return e.value, ok
}

// put keeps the value, forgetting the least recently used ones. A value over
// the limit is not kept at all.
func (s *sized[V]) put(key string, value V, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lru.Remove(key)
	if bytes > s.limit {
		return
	}
	s.bytes += bytes
	s.lru.Add(key, entry[V]{value, bytes})
	for s.bytes > s.limit {
		s.lru.RemoveOldest()
	}
}

type (
	conversations = sized[conversation]
	surfaces      = sized[*border]
)

func newConversations(limit int) *conversations { return newSized[conversation](limit) }

func newSurfaces(limit int) *surfaces { return newSized[*border](limit) }

// conversation is a prefix of a run's conversation. It is a value: extending
// it never changes what another activity holds.
type conversation struct {
	items []json.RawMessage
	// digests[i] is the digest of the first i+1 items.
	digests []string
	bytes   int
}

// itemOverhead is what an item costs beside its text: two slice headers and a
// digest.
const itemOverhead = 96

func (c conversation) with(items ...json.RawMessage) conversation {
	last := ""
	if n := len(c.digests); n > 0 {
		last = c.digests[n-1]
	}
	next := conversation{
		items:   append(c.items[:len(c.items):len(c.items)], items...),
		digests: c.digests[:len(c.digests):len(c.digests)],
		bytes:   c.bytes,
	}
	for _, it := range items {
		last = NextDigest(last, it)
		next.digests = append(next.digests, last)
		next.bytes += len(it) + itemOverhead
	}
	return next
}

// first is the prefix of n items.
func (c conversation) first(n int) conversation {
	p := conversation{items: c.items[:n:n], digests: c.digests[:n:n]}
	for _, it := range p.items {
		p.bytes += len(it) + itemOverhead
	}
	return p
}

func (c conversation) digest() string {
	if len(c.digests) == 0 {
		return ""
	}
	return c.digests[len(c.digests)-1]
}
