package schema

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Cache keeps compiled schemas by the hash of their bytes, so that a schema is
// compiled once however many runs and tools share it. It is safe for
// concurrent use.
type Cache struct {
	entries *lru.Cache[[sha256.Size]byte, *entry]
}

// entry is a schema that is compiled on first use. Whoever comes second waits
// for the first.
type entry struct {
	mu     sync.Mutex
	done   bool
	schema *Schema
	err    error
}

// NewCache makes a cache of at most size schemas; less than one counts as one.
func NewCache(size int) *Cache {
	entries, err := lru.New[[sha256.Size]byte, *entry](max(size, 1))
	if err != nil { // only a size below one is an error
		panic("schema: " + err.Error())
	}
	return &Cache{entries}
}

// Get is Compile, remembered: the same bytes give the same schema, or the same
// error.
func (c *Cache) Get(raw json.RawMessage) (*Schema, error) {
	return c.GetWithin(NewBudget(context.Background()), raw)
}

// GetWithin is Get on a budget, from which a schema that is not compiled yet
// takes its cost. Where there is no room for that, the error is not remembered.
func (c *Cache) GetWithin(b *Budget, raw json.RawMessage) (*Schema, error) {
	key, fresh := sha256.Sum256(raw), &entry{}
	if known, ok, _ := c.entries.PeekOrAdd(key, fresh); ok {
		fresh = known
		c.entries.Get(key) // it was used
	}
	return fresh.compiled(b, raw)
}

func (e *entry) compiled(b *Budget, raw json.RawMessage) (*Schema, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.done {
		s, err := compileWithin(b, raw)
		if errors.Is(err, ErrSpent) || err != nil && errors.Is(err, b.ctx.Err()) {
			return nil, err
		}
		e.done, e.schema, e.err = true, s, err
	}
	return e.schema, e.err
}
