package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A name may become a pipe between the look at it and its opening.
func TestOpeningAPipeDoesNotWait(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(top, "pipe"), 0o600))
	root, err := os.OpenRoot(top)
	require.NoError(t, err)
	defer root.Close() //nolint:errcheck // nothing was written
	file, err := openSoon(root, "pipe")
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // nothing was written
	info, err := file.Stat()
	require.NoError(t, err)
	require.ErrorContains(t, regular("pipe", info), "not a regular file")
	_, err = (&walk{ctx: t.Context(), root: root, left: maxScanned}).entries("pipe")
	require.NoError(t, err, "it has no entries")
}

// BenchmarkListLargeDirectory prints what listing a directory of 200,000 entries costs.
func BenchmarkListLargeDirectory(b *testing.B) {
	root := b.TempDir()
	for i := range 200_000 {
		file, err := os.Create(filepath.Join(root, fmt.Sprintf("%06d", i)))
		require.NoError(b, err)
		require.NoError(b, file.Close())
	}
	b.ReportAllocs()
	for b.Loop() {
		_, err := directory(root).list(b.Context(), listArguments{})
		require.NoError(b, err)
	}
}
