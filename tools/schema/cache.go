package schema

import (
	"crypto/sha256"
	"encoding/json"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Cache keeps compiled schemas by the hash of their bytes, so that a schema is
// compiled once however many runs and tools share it. It is safe for
// concurrent use.
type Cache struct {
	entries *lru.Cache[[sha256.Size]byte, compiled]
}

// compiled compiles on first use. Whoever comes second waits for the first.
type compiled func() (*Schema, error)

// NewCache makes a cache of at most size schemas; less than one counts as one.
func NewCache(size int) *Cache {
	entries, err := lru.New[[sha256.Size]byte, compiled](max(size, 1))
	if err != nil { // only a size below one is an error
		panic("schema: " + err.Error())
	}
	return &Cache{entries}
}

// Get is Compile, remembered: the same bytes give the same schema, or the same
// error.
func (c *Cache) Get(raw json.RawMessage) (*Schema, error) {
	key := sha256.Sum256(raw)
	if known, ok := c.entries.Get(key); ok {
		return known()
	}
	fresh := compiled(sync.OnceValues(func() (*Schema, error) { return Compile(raw) }))
	if earlier, ok, _ := c.entries.PeekOrAdd(key, fresh); ok {
		return earlier()
	}
	return fresh()
}
