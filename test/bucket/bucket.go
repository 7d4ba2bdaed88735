// Package bucket is an S3-compatible server for tests.
package bucket

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
)

// Bucket is a bucket of an S3-compatible server.
type Bucket struct {
	// Endpoint is the server's address. It takes any credentials.
	Endpoint, Name string

	t       testing.TB
	backend *s3mem.Backend
	clock   *clock
	away    atomic.Bool
	refused atomic.Int64
	written atomic.Int64
}

// Start runs an S3-compatible server with one bucket until the test ends.
func Start(t testing.TB) *Bucket {
	t.Helper()
	clock := &clock{}
	backend := s3mem.New(s3mem.WithTimeSource(clock))
	b := &Bucket{Name: "payloads", t: t, backend: backend, clock: clock}
	require.NoError(t, backend.CreateBucket(b.Name))
	inner := gofakes3.New(backend, gofakes3.WithTimeSource(clock), gofakes3.WithTimeSkewLimit(0)).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b.away.Load() {
			b.refused.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			b.written.Add(1)
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	b.Endpoint = server.URL
	return b
}

// Away has the server refuse everything until it is called again with false.
func (b *Bucket) Away(away bool) { b.away.Store(away) }

// Refused is how many requests were refused.
func (b *Bucket) Refused() int { return int(b.refused.Load()) }

// Date has what is written from now on be of another age.
func (b *Bucket) Date(age time.Duration) { b.clock.age.Store(int64(age)) }

// clock is the time at which objects are written.
type clock struct{ age atomic.Int64 }

// Now implements gofakes3.TimeSource.
func (c *clock) Now() time.Time { return time.Now().Add(-time.Duration(c.age.Load())) }

// Since implements gofakes3.TimeSource.
func (c *clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Modified is when an object was last written.
func (b *Bucket) Modified(key string) time.Time {
	b.t.Helper()
	list, err := b.backend.ListBucket(b.Name, &gofakes3.Prefix{Prefix: key, HasPrefix: true}, gofakes3.ListBucketPage{})
	require.NoError(b.t, err)
	require.NotEmpty(b.t, list.Contents)
	return list.Contents[0].LastModified.Time
}

// Written is how many requests asked for a change.
func (b *Bucket) Written() int { return int(b.written.Load()) }

// Keys are those of all objects.
func (b *Bucket) Keys() []string {
	b.t.Helper()
	list, err := b.backend.ListBucket(b.Name, &gofakes3.Prefix{}, gofakes3.ListBucketPage{})
	require.NoError(b.t, err)
	var keys []string
	for _, object := range list.Contents {
		keys = append(keys, object.Key)
	}
	return keys
}

// Delete removes an object.
func (b *Bucket) Delete(key string) {
	b.t.Helper()
	_, err := b.backend.DeleteObject(b.Name, key)
	require.NoError(b.t, err)
}

// Replace changes the content of an object.
func (b *Bucket) Replace(key string, content []byte) {
	b.t.Helper()
	_, err := b.backend.PutObject(b.Name, key, map[string]string{}, bytes.NewReader(content), int64(len(content)), nil)
	require.NoError(b.t, err)
}
