// Package cache keeps in a worker, bounded by bytes, what it has read of its
// runs. All of it can be lost: a run can be asked again.
package cache

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// LRU forgets the values that were used least recently when they have more bytes
// than its limit together. It is safe for concurrent use.
type LRU[V any] struct {
	mu    sync.Mutex
	lru   *simplelru.LRU[string, entry[V]]
	bytes int
	limit int
}

type entry[V any] struct {
	value V
	bytes int
}

// NewLRU makes an empty LRU with a limit in bytes.
func NewLRU[V any](limit int) *LRU[V] {
	s := &LRU[V]{limit: limit}
	// The count is a second bound, for values of no size.
	inner, err := simplelru.NewLRU(1<<20, func(_ string, e entry[V]) { s.bytes -= e.bytes })
	if err != nil { // only a size under 1 is refused
		panic(err)
	}
	s.lru = inner
	return s
}

// Get returns the value of a key, if it is still there.
func (s *LRU[V]) Get(key string) (V, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.lru.Get(key)
	return e.value, ok
}

// Put keeps a value of so many bytes. One over the limit is not kept at all.
func (s *LRU[V]) Put(key string, value V, bytes int) {
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

// Bytes is the size of what is kept.
func (s *LRU[V]) Bytes() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}
