package directory_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"errand/storage/directory"
)

// free lets everything happen at once.
type free[T any] struct{}

func (free[T]) Permit(_ context.Context, _ T, do func() error) error { return do() }

func payload(text string) *commonpb.Payload {
	return &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("binary/plain"), "a": []byte("b")}, Data: []byte(text)}
}

func store(t *testing.T, d *directory.Driver, id string, payloads ...*commonpb.Payload) []converter.StorageDriverClaim {
	t.Helper()
	claims, err := d.Store(converter.StorageDriverStoreContext{
		Context: t.Context(), Limiter: free[*commonpb.Payload]{},
		Target: converter.StorageDriverWorkflowInfo{Namespace: "default", WorkflowID: id},
	}, payloads)
	require.NoError(t, err)
	require.Len(t, claims, len(payloads))
	return claims
}

func retrieve(t *testing.T, d *directory.Driver, claims ...converter.StorageDriverClaim) ([]*commonpb.Payload, error) {
	t.Helper()
	return d.Retrieve(converter.StorageDriverRetrieveContext{Context: t.Context(), Limiter: free[converter.StorageDriverClaim]{}}, claims)
}

// filesOf are the files below a directory, by their paths in it.
func filesOf(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, path)
		}
		return err
	}))
	return files
}

func TestWhatIsStoredComesBackAlsoInAnotherProcess(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "not", "there", "yet")
	want := []*commonpb.Payload{payload("one"), payload(strings.Repeat("two", 1<<20)), payload("")}
	claims := store(t, directory.New(root), "run", want...)
	found, err := retrieve(t, directory.New(root), claims...)
	require.NoError(t, err)
	for i := range want {
		require.True(t, proto.Equal(want[i], found[i]), i)
	}
}

func TestAnyWorkflowIDIsAFolderOfItsOwn(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := directory.New(root)
	ids := []string{
		"", ".", "..", "../../etc", "/etc/passwd", "a/b", `a\b`, "a\x00b", "naïve 名前", "%none", "%", "a%2Fb", ".hidden", "con",
		strings.Repeat("x", 1000), strings.Repeat("x", 999) + "y", strings.Repeat("/", 1000), "\xff\xfe",
	}
	folders := map[string]string{}
	for _, id := range ids {
		claims := store(t, d, id, payload("the same"))
		file := claims[0].ClaimData["file"]
		folder := filepath.Dir(file)
		require.Empty(t, folders[folder], "%q", id)
		folders[folder] = id
		require.FileExists(t, filepath.Join(root, file), "%q", id)
		require.Equal(t, "default", filepath.Dir(folder), "%q", id)
		found, err := retrieve(t, d, claims...)
		require.NoError(t, err, "%q", id)
		require.True(t, proto.Equal(payload("the same"), found[0]), "%q", id)
	}
	require.Len(t, filesOf(t, root), len(ids))
}

func TestTheSamePayloadIsStoredOnceAndItsAgeBeginsAnew(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := directory.New(root)
	claims := store(t, d, "run", payload("x"))
	file := filepath.Join(root, claims[0].ClaimData["file"])
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(file, old, old))
	require.Equal(t, claims, store(t, d, "run", payload("x")))
	require.Len(t, filesOf(t, root), 1)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Greater(t, info.ModTime(), old.Add(time.Minute))
}

func TestAMissingFileIsNamedWithWhereItWasLookedFor(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := directory.New(root)
	claims := store(t, d, "run", payload("x"))
	require.NoError(t, os.Remove(filepath.Join(root, claims[0].ClaimData["file"])))
	_, err := retrieve(t, d, claims...)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, claims[0].ClaimData["file"])
	require.ErrorContains(t, err, root)
	require.ErrorContains(t, err, "it was deleted, or the workers store elsewhere")

	_, err = retrieve(t, directory.New(filepath.Join(root, "elsewhere")), claims...)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoDirExists(t, filepath.Join(root, "elsewhere"), "who reads creates nothing")
}

func TestADamagedFileIsFoundAndMendedByTheNextWriter(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := directory.New(root)
	claims := store(t, d, "run", payload("what was said"))
	file := filepath.Join(root, claims[0].ClaimData["file"])
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	content[len(content)-1] ^= 1
	require.NoError(t, os.WriteFile(file, content, 0o600))
	_, err = retrieve(t, d, claims...)
	require.ErrorContains(t, err, "is damaged")

	store(t, d, "run", payload("what was said"))
	found, err := retrieve(t, d, claims...)
	require.NoError(t, err)
	require.Equal(t, "what was said", string(found[0].Data))
}

func TestAClaimReachesNothingOutsideOfTheDirectory(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("s"), 0o600))
	root := filepath.Join(outside, "root")
	d := directory.New(root)
	store(t, d, "run", payload("x"))
	require.NoError(t, os.Symlink(secret, filepath.Join(root, "link")))
	require.NoError(t, os.Mkdir(filepath.Join(root, "folder"), 0o700))
	for _, file := range []string{"../secret", secret, "link", "folder", "", "."} {
		_, err := retrieve(t, d, converter.StorageDriverClaim{ClaimData: map[string]string{
			"file": file, "sha256": "043a718774c572bd8a25adbeb1bfcd5c0256ae11cecf9f9c3f925d0e52beaf89", // of "s"
		}})
		require.Error(t, err, file)
	}
}

func TestTooLargeAFileIsNotRead(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := directory.New(root)
	claims := store(t, d, "run", payload("x"))
	require.NoError(t, os.Truncate(filepath.Join(root, claims[0].ClaimData["file"]), directory.MaxPayload+1))
	_, err := retrieve(t, d, claims...)
	require.ErrorContains(t, err, "at most")
}

// TestWritersOfTheSamePayloadDoNotMeet has many of them write while others
// read: nobody sees a part of a file, and nothing but the file stays.
func TestWritersOfTheSamePayloadDoNotMeet(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	text := strings.Repeat("0123456789abcdef", 1<<14)
	claims := store(t, directory.New(root), "run", payload(text))
	file := filepath.Join(root, claims[0].ClaimData["file"])
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				_ = os.Remove(file)
				store(t, directory.New(root), "run", payload(text))
				found, err := retrieve(t, directory.New(root), claims...)
				if err != nil { // another one has just removed it
					require.ErrorIs(t, err, fs.ErrNotExist)
					continue
				}
				require.Equal(t, text, string(found[0].Data))
			}
		})
	}
	all.Wait()
	store(t, directory.New(root), "run", payload(text))
	require.Equal(t, []string{file}, filesOf(t, root))
}

func TestACheckLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "payloads")
	left, err := directory.New(root).Check(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	require.Empty(t, entries)

	require.NoError(t, directory.New(root).Look(t.Context()))
	gone := filepath.Join(root, "gone")
	require.ErrorIs(t, directory.New(gone).Look(t.Context()), fs.ErrNotExist)
	require.NoDirExists(t, gone, "a look creates nothing")

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = directory.New(file).Check(t.Context())
	require.ErrorContains(t, err, file)
}
