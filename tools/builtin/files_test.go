package builtin_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/builtin"
)

type args = map[string]any

// rooted is a files root with a secret beside it.
func rooted(t *testing.T) (builtin.Config, string) {
	t.Helper()
	top := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(top, "secret"), []byte("s3cret"), 0o600))
	return builtin.Config{FilesRoot: filepath.Join(top, "files")}, top
}

func put(t *testing.T, config builtin.Config, name, content string) {
	t.Helper()
	at := filepath.Join(config.FilesRoot, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
	require.NoError(t, os.WriteFile(at, []byte(content), 0o600))
}

func read(t *testing.T, config builtin.Config, a args) string {
	t.Helper()
	out, err := call(t, config, "read_file", a)
	require.NoError(t, err)
	return out.Content.(string)
}

func TestAWrittenFileCanBeReadAndListed(t *testing.T) {
	t.Parallel()
	config, _ := rooted(t)
	out, err := call(t, config, "write_file", args{"path": "notes/./today.txt", "content": "żółć\n"})
	require.NoError(t, err)
	require.Equal(t, []tools.Change{{Resource: "file:notes/today.txt", Kind: "created", Detail: "9 bytes"}}, out.Changes)
	require.Equal(t, "created notes/today.txt (9 bytes)", out.Content)
	require.Equal(t, "żółć\n", read(t, config, args{"path": "notes/today.txt"}))

	out, err = call(t, config, "write_file", args{"path": "notes/today.txt", "content": ""})
	require.NoError(t, err)
	require.Equal(t, "updated", out.Changes[0].Kind)
	require.Empty(t, read(t, config, args{"path": "notes/today.txt"}))

	out, err = call(t, config, "list_files", args{"recursive": true})
	require.NoError(t, err)
	require.Equal(t, "notes/\nnotes/today.txt", out.Content)
}

func TestARewrittenFileKeepsItsModeAndLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	config, _ := rooted(t)
	put(t, config, "run.sh", "old")
	require.NoError(t, os.Chmod(filepath.Join(config.FilesRoot, "run.sh"), 0o700))
	_, err := call(t, config, "write_file", args{"path": "run.sh", "content": "new"})
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(config.FilesRoot, "run.sh"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	entries, err := os.ReadDir(config.FilesRoot)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

func TestNothingLeadsOutOfTheRoot(t *testing.T) {
	t.Parallel()
	config, top := rooted(t)
	put(t, config, "a/inside", "x")
	require.NoError(t, os.Symlink(filepath.Join(top, "secret"), filepath.Join(config.FilesRoot, "link")))
	require.NoError(t, os.Symlink("../../secret", filepath.Join(config.FilesRoot, "a", "relative")))
	require.NoError(t, os.Symlink(top, filepath.Join(config.FilesRoot, "up")))
	for _, path := range []string{
		"../secret", "a/../../secret", "..", "a/../..", "/etc/passwd", filepath.Join(top, "secret"),
		"link", "a/relative", "up/secret", "up", "up/new", "",
	} {
		for tool, a := range map[string]args{
			"read_file":  {"path": path},
			"write_file": {"path": path, "content": "pwned"},
			"list_files": {"path": path, "recursive": true},
		} {
			if path == "" && tool == "list_files" {
				continue
			}
			out, err := call(t, config, tool, a)
			require.ErrorContains(t, err, "path: ", "%s %q", tool, path)
			require.NotContains(t, err.Error(), "s3cret")
			require.Nil(t, out.Content)
		}
	}
	secret, err := os.ReadFile(filepath.Join(top, "secret"))
	require.NoError(t, err)
	require.Equal(t, "s3cret", string(secret))
	require.NoFileExists(t, filepath.Join(top, "new"))

	out, err := call(t, config, "list_files", args{"recursive": true})
	require.NoError(t, err)
	require.Equal(t, "a/\na/inside\na/relative\nlink\nup", out.Content)
}

func TestAMissingRootIsMadeByTheFirstWriteOnly(t *testing.T) {
	t.Parallel()
	config, _ := rooted(t)
	for _, tool := range []string{"read_file", "list_files"} {
		_, err := call(t, config, tool, args{"path": "a.txt"})
		require.ErrorContains(t, err, `no such file: "a.txt"`)
		require.NoDirExists(t, config.FilesRoot)
	}
	_, err := call(t, config, "write_file", args{"path": "a.txt", "content": "x"})
	require.NoError(t, err)
	_, err = call(t, builtin.Config{}, "write_file", args{"path": "a.txt", "content": "x"})
	require.ErrorContains(t, err, "files.root")
}

func TestAFileIsReadInPieces(t *testing.T) {
	t.Parallel()
	config, _ := rooted(t)
	whole := strings.Repeat("żółć ", 60_000) // 9 bytes each
	put(t, config, "big.txt", whole)
	first := read(t, config, args{"path": "big.txt"})
	require.True(t, strings.HasSuffix(first, "\n[bytes 0 to 262143 of 540000; go on with offset 262143]"), first[len(first)-80:])
	body, _, _ := strings.Cut(first, "\n[")
	second := read(t, config, args{"path": "big.txt", "offset": 262143})
	next, _, _ := strings.Cut(second, "\n[")
	require.Contains(t, second, "go on with offset 524286]")
	require.Equal(t, whole, body+next+read(t, config, args{"path": "big.txt", "offset": 524286}))

	require.Equal(t, "ół\n[bytes 2 to 6 of 540000; go on with offset 6]", read(t, config, args{"path": "big.txt", "offset": 2, "limit": 1}))
	require.Empty(t, read(t, config, args{"path": "big.txt", "offset": 540_000}))
	_, err := call(t, config, "read_file", args{"path": "big.txt", "offset": 540_001})
	require.ErrorContains(t, err, "offset: 540001 is past the end")
	_, err = call(t, config, "read_file", args{"path": "big.txt", "offset": -1})
	require.ErrorContains(t, err, "offset and limit")
}

func TestBinaryFilesAreReportedAndNotDumped(t *testing.T) {
	t.Parallel()
	config, _ := rooted(t)
	put(t, config, "i.png", "\x89PNG\r\n\x1a\n\x00\x00")
	put(t, config, "noise", "\x01\x02\xff\x80")
	put(t, config, "latin1.txt", "caf\xe9 au lait")
	require.Equal(t, "[i.png is a binary file: image/png, 10 bytes; its content is not shown]", read(t, config, args{"path": "i.png"}))
	require.Contains(t, read(t, config, args{"path": "noise"}), "binary file: application/octet-stream, 4 bytes")
	require.Equal(t, "caf\uFFFD au lait", read(t, config, args{"path": "latin1.txt"}))
}

func TestOnlyFilesAreReadAndOnlyDirectoriesListed(t *testing.T) {
	t.Parallel()
	config, _ := rooted(t)
	put(t, config, "d/f", "x")
	require.NoError(t, syscall.Mkfifo(filepath.Join(config.FilesRoot, "pipe"), 0o600))
	for want, c := range map[string]struct {
		tool string
		a    args
	}{
		`"d" is a directory`:          {"read_file", args{"path": "d"}},
		`not a regular file`:          {"read_file", args{"path": "pipe"}},
		`no such file: "nowhere"`:     {"read_file", args{"path": "nowhere"}},
		`"d/f" is a file`:             {"list_files", args{"path": "d/f"}},
		`"d" is a directory; name`:    {"write_file", args{"path": "d", "content": ""}},
		`names a directory`:           {"write_file", args{"path": "new/", "content": ""}},
		`link or a special file`:      {"write_file", args{"path": "pipe", "content": ""}},
		`path: "d/f`:                  {"write_file", args{"path": "d/f/g", "content": ""}},
		`content: required`:           {"write_file", args{"path": "x"}},
		`argument content: a number `: {"write_file", args{"path": "x", "content": 5}},
	} {
		_, err := call(t, config, c.tool, c.a)
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), config.FilesRoot)
	}
}

func TestListsAreSortedAndCapped(t *testing.T) {
	t.Parallel()
	config, _ := rooted(t)
	put(t, config, "b.txt", "")
	put(t, config, "a/x", "")
	put(t, config, "a.txt", "")
	put(t, config, ".errand-LOST.tmp", "")
	out, err := call(t, config, "list_files", args{})
	require.NoError(t, err)
	require.Equal(t, "a.txt\na/\nb.txt", out.Content)
	out, err = call(t, config, "list_files", args{"path": "a"})
	require.NoError(t, err)
	require.Equal(t, "a/x", out.Content)

	for i := range 1001 {
		put(t, config, fmt.Sprintf("many/%04d", i), "")
	}
	out, err = call(t, config, "list_files", args{"path": "many"})
	require.NoError(t, err)
	lines := strings.Split(out.Content.(string), "\n")
	require.Len(t, lines, 1001)
	require.Equal(t, "many/0999", lines[999])
	require.Contains(t, lines[1000], "only the first 1000 entries")
	require.NoError(t, os.Mkdir(filepath.Join(config.FilesRoot, "empty"), 0o755))
	out, err = call(t, config, "list_files", args{"path": "empty"})
	require.NoError(t, err)
	require.Equal(t, "[no files]", out.Content)
}

func TestALargeDirectoryIsNotReadToItsEnd(t *testing.T) {
	t.Parallel()
	config, _ := rooted(t)
	require.NoError(t, os.MkdirAll(filepath.Join(config.FilesRoot, "large"), 0o755))
	put(t, config, "one", "")
	for i := range 20_001 {
		require.NoError(t, os.Link(filepath.Join(config.FilesRoot, "one"), filepath.Join(config.FilesRoot, "large", fmt.Sprintf("%05d", i))))
	}
	out, err := call(t, config, "list_files", args{"path": "large"})
	require.NoError(t, err)
	lines := strings.Split(out.Content.(string), "\n")
	require.Len(t, lines, 1001)
	require.Contains(t, lines[1000], "there are more than 20000 entries, and not all of them were looked at")
	require.True(t, slices.IsSorted(lines[:1000]))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = callIn(ctx, t, config, "list_files", args{"path": "large", "recursive": true})
	require.ErrorIs(t, err, context.Canceled)
}

func TestADeepDirectoryIsNotEnteredForEver(t *testing.T) {
	t.Parallel()
	config, _ := rooted(t)
	put(t, config, strings.Repeat("d/", 300)+"f", "")
	out, err := call(t, config, "list_files", args{"recursive": true})
	require.NoError(t, err)
	lines := strings.Split(out.Content.(string), "\n")
	require.Len(t, lines, 102)
	require.Contains(t, lines[101], "more than 100 levels below")
}
