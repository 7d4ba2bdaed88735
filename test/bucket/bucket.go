// Package bucket is an S3-compatible server for tests: one bucket in memory, and
// of the API what Errand asks of S3, which is to put, get, head and delete one
// object.
package bucket

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Bucket is a bucket of an S3-compatible server.
type Bucket struct {
	// Endpoint is the server's address. It takes any credentials, and addresses
	// with the bucket in their path.
	Endpoint, Name string

	t       testing.TB
	mu      sync.Mutex
	objects map[string]object
	// age is how long before now what is written counts as written.
	age              time.Duration
	away             atomic.Bool
	refused, written atomic.Int64
}

type object struct {
	content  []byte
	modified time.Time
}

// Start runs an S3-compatible server with one bucket until the test ends.
func Start(t testing.TB) *Bucket {
	t.Helper()
	b := &Bucket{Name: "payloads", t: t, objects: map[string]object{}}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	b.Endpoint = server.URL
	return b
}

// ServeHTTP answers one request as S3 does.
func (b *Bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if b.away.Load() {
		b.refused.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		b.written.Add(1)
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case bucket != b.Name:
		refuse(w, http.StatusNotFound, "NoSuchBucket")
	case key == "":
		refuse(w, http.StatusNotImplemented, "NotImplemented")
	case r.Method == http.MethodPut:
		b.put(w, r, key)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		b.get(w, key)
	case r.Method == http.MethodDelete:
		b.Delete(key)
		w.WriteHeader(http.StatusNoContent)
	default: // lists, and objects in several parts
		refuse(w, http.StatusNotImplemented, "NotImplemented")
	}
}

func (b *Bucket) put(w http.ResponseWriter, r *http.Request, key string) {
	content, err := io.ReadAll(r.Body)
	switch {
	case err != nil || int64(len(content)) != r.ContentLength:
		refuse(w, http.StatusBadRequest, "IncompleteBody")
		return
	case strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-"):
		refuse(w, http.StatusNotImplemented, "NotImplemented")
		return
	case len(key) > 1024:
		refuse(w, http.StatusBadRequest, "KeyTooLongError")
		return
	}
	b.Replace(key, content)
	w.Header().Set("ETag", tag(content))
}

func (b *Bucket) get(w http.ResponseWriter, key string) {
	b.mu.Lock()
	found, ok := b.objects[key]
	b.mu.Unlock()
	if !ok {
		refuse(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(found.content)))
	w.Header().Set("Last-Modified", found.modified.UTC().Format(http.TimeFormat))
	w.Header().Set("ETag", tag(found.content))
	_, _ = w.Write(found.content) // net/http leaves it out of the answer to HEAD
}

func tag(content []byte) string {
	sum := md5.Sum(content)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// refuse answers with an error of S3.
func refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_ = xml.NewEncoder(w).Encode(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
	}{Code: code})
}

// Away has the server refuse everything until it is called again with false.
func (b *Bucket) Away(away bool) { b.away.Store(away) }

// Refused is how many requests were refused.
func (b *Bucket) Refused() int { return int(b.refused.Load()) }

// Written is how many requests asked for a change.
func (b *Bucket) Written() int { return int(b.written.Load()) }

// Date has what is written from now on be of another age.
func (b *Bucket) Date(age time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.age = age
}

// Modified is when an object was last written.
func (b *Bucket) Modified(key string) time.Time {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Contains(b.t, b.objects, key)
	return b.objects[key].modified
}

// Keys are those of all objects, sorted.
func (b *Bucket) Keys() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.objects))
}

// Delete removes an object.
func (b *Bucket) Delete(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.objects, key)
}

// Replace writes an object.
func (b *Bucket) Replace(key string, content []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects[key] = object{content, time.Now().Add(-b.age)}
}
