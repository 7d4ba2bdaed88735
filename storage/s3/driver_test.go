package s3_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"errand/storage/s3"
	"errand/test/bucket"
)

// free lets everything happen at once.
type free[T any] struct{}

func (free[T]) Permit(_ context.Context, _ T, do func() error) error { return do() }

func payload(text string) *commonpb.Payload {
	return &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("binary/plain")}, Data: []byte(text)}
}

// of is the configuration of a bucket.
func of(b *bucket.Bucket) s3.Config {
	return s3.Config{Bucket: b.Name, Prefix: "errand/", Endpoint: b.Endpoint, PathStyle: true}
}

func open(t *testing.T, c s3.Config) *s3.Driver {
	t.Helper()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_PROFILE": "",
		"AWS_CONFIG_FILE": t.TempDir() + "/none", "AWS_SHARED_CREDENTIALS_FILE": t.TempDir() + "/none",
	} {
		t.Setenv(name, value)
	}
	d, err := s3.New(t.Context(), c)
	require.NoError(t, err)
	return d
}

func store(t *testing.T, d *s3.Driver, payloads ...*commonpb.Payload) []converter.StorageDriverClaim {
	t.Helper()
	claims, err := d.Store(converter.StorageDriverStoreContext{
		Context: t.Context(), Limiter: free[*commonpb.Payload]{},
		Target: converter.StorageDriverWorkflowInfo{Namespace: "default", WorkflowID: "a run/名前", WorkflowType: "Run", RunID: "1"},
	}, payloads)
	require.NoError(t, err)
	return claims
}

func retrieve(t *testing.T, d *s3.Driver, claims ...converter.StorageDriverClaim) ([]*commonpb.Payload, error) {
	t.Helper()
	return d.Retrieve(converter.StorageDriverRetrieveContext{Context: t.Context(), Limiter: free[converter.StorageDriverClaim]{}}, claims)
}

func TestWhatIsStoredInABucketComesBack(t *testing.T) {
	b := bucket.Start(t)
	d := open(t, of(b))
	want := []*commonpb.Payload{payload("one"), payload(strings.Repeat("two", 2<<20)), payload("one")}
	claims := store(t, d, want...)
	found, err := retrieve(t, open(t, of(b)), claims...)
	require.NoError(t, err)
	for i := range want {
		require.True(t, proto.Equal(want[i], found[i]), i)
	}
	require.Len(t, b.Keys(), 2, "the same is stored once")
	for _, key := range b.Keys() {
		require.True(t, strings.HasPrefix(key, "errand/v0/ns/default/wt/Run/wi/a%20run"), key)
	}
	for _, c := range claims {
		for name, value := range c.ClaimData {
			require.NotContains(t, value, "test", "no credential is in the claim: %s", name)
		}
	}
}

func TestWhatABucketDoesNotHaveIsSaid(t *testing.T) {
	b := bucket.Start(t)
	d := open(t, of(b))
	claims := store(t, d, payload("x"))

	b.Replace(b.Keys()[0], []byte("y"))
	_, err := retrieve(t, d, claims...)
	require.ErrorContains(t, err, "integrity check failed")

	b.Delete(b.Keys()[0])
	_, err = retrieve(t, d, claims...)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "storage.s3.prefix")

	other := of(b)
	other.Bucket = "other"
	_, err = retrieve(t, open(t, other), claims...)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, `bucket "payloads"`)
}

// TestAnOldObjectIsWrittenAgain: objects expire by their age, and a run that was
// just started may use one that an earlier run has left.
func TestAnOldObjectIsWrittenAgain(t *testing.T) {
	b := bucket.Start(t)
	d := open(t, of(b))
	b.Date(25 * time.Hour)
	store(t, d, payload("x"))
	key := b.Keys()[0]
	require.Less(t, b.Modified(key), time.Now().Add(-24*time.Hour))
	b.Date(23 * time.Hour)
	store(t, d, payload("x"))
	refreshed := b.Modified(key)
	require.Greater(t, refreshed, time.Now().Add(-24*time.Hour))
	b.Date(0)
	store(t, d, payload("x"))
	require.Equal(t, refreshed, b.Modified(key), "one of less than a day stays")
}

func TestALongRunIDHasAKeyThatS3Takes(t *testing.T) {
	b := bucket.Start(t)
	c := of(b)
	c.Prefix = strings.Repeat("p", 200)
	d := open(t, c)
	var claims []converter.StorageDriverClaim
	for _, end := range []string{"1", "2"} {
		made, err := d.Store(converter.StorageDriverStoreContext{
			Context: t.Context(), Limiter: free[*commonpb.Payload]{},
			Target: converter.StorageDriverWorkflowInfo{Namespace: "default", WorkflowID: strings.Repeat("名", 300) + end, WorkflowType: "Run"},
		}, []*commonpb.Payload{payload(end)})
		require.NoError(t, err)
		claims = append(claims, made...)
	}
	require.Len(t, b.Keys(), 2)
	for _, key := range b.Keys() {
		require.LessOrEqual(t, len(key), 1024)
		require.True(t, strings.HasPrefix(key, c.Prefix+"v0/ns/default/wt/Run/wi/%E5"), key)
	}
	found, err := retrieve(t, d, claims...)
	require.NoError(t, err)
	require.Equal(t, "1", string(found[0].Data))
	require.Equal(t, "2", string(found[1].Data))
}

// first lets one object be looked for, and has the others wait until that failed.
type first struct{ taken, ended atomic.Int32 }

func (f *first) Permit(ctx context.Context, _ converter.StorageDriverClaim, do func() error) error {
	if f.taken.Add(1) == 1 {
		return do()
	}
	<-ctx.Done()
	f.ended.Add(1)
	return ctx.Err()
}

func TestTheFirstObjectThatFailsEndsTheOthers(t *testing.T) {
	b := bucket.Start(t)
	d := open(t, of(b))
	claims := store(t, d, payload("1"), payload("2"), payload("3"))
	for _, key := range b.Keys() {
		b.Delete(key)
	}
	limiter := &first{}
	_, err := d.Retrieve(converter.StorageDriverRetrieveContext{Context: t.Context(), Limiter: limiter}, claims)
	require.ErrorIs(t, err, fs.ErrNotExist, "not what became of the others")
	require.EqualValues(t, 2, limiter.ended.Load())
}

func TestALookIntoABucketWritesNothing(t *testing.T) {
	b := bucket.Start(t)
	require.NoError(t, open(t, of(b)).Look(t.Context()))
	require.Zero(t, b.Written())
	missing := of(b)
	missing.Bucket = "missing"
	require.ErrorContains(t, open(t, missing).Look(t.Context()), "NoSuchBucket")
}

func TestAProbeOfABucket(t *testing.T) {
	b := bucket.Start(t)
	d := open(t, of(b))
	left, err := d.Check(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
	require.Empty(t, b.Keys())

	missing := of(b)
	missing.Bucket = "missing"
	_, err = open(t, missing).Check(t.Context())
	require.ErrorContains(t, err, "NoSuchBucket")
}

func TestAmazonsServerNeedsARegion(t *testing.T) {
	open(t, s3.Config{Bucket: "b", Region: "eu-central-1"})
	_, err := s3.New(t.Context(), s3.Config{Bucket: "b"})
	require.ErrorContains(t, err, "storage.s3.region is required")
}
