// Package bucket is an S3-compatible server for tests.
package bucket

import (
	"bytes"
	"net/http/httptest"
	"testing"

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
	stop    func()
}

// Start runs an S3-compatible server with one bucket until the test ends.
func Start(t testing.TB) *Bucket {
	t.Helper()
	backend := s3mem.New()
	b := &Bucket{Name: "payloads", t: t, backend: backend}
	require.NoError(t, backend.CreateBucket(b.Name))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	b.Endpoint, b.stop = server.URL, server.Close
	return b
}

// Stop ends the server before the test does.
func (b *Bucket) Stop() { b.stop() }

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
