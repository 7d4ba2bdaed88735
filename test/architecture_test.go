package test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/test/harness"
)

var code = regexp.MustCompile("(\\()?`([^`]+)`")

// TestWhereToChangeWhatNamesWhatIsThere reads the table of the architecture: a
// file without a directory is in the one named before it, and a name in
// brackets stands in the file before it.
func TestWhereToChangeWhatNamesWhatIsThere(t *testing.T) {
	t.Parallel()
	rows := 0
	for _, line := range strings.Split(section(t, "docs/architecture.md", "## Where to change what"), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.HasPrefix(cells[1], "---") || strings.HasPrefix(cells[1], " I want") {
			continue
		}
		rows++
		dir, last := "", ""
		for _, m := range code.FindAllStringSubmatch(cells[2], -1) {
			name := m[2]
			switch {
			case m[1] != "":
				require.NotEmpty(t, last, "%q: %s stands behind no file", line, name)
				require.True(t, mentions(t, last, name), "%q: %s says nothing of %s", line, last, name)
				continue
			case !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "/"):
				continue // a type, not a place
			case !strings.Contains(name, "/"):
				name = path.Join(dir, name)
			}
			found, err := filepath.Glob(filepath.Join(harness.RepoRoot(), name))
			require.NoError(t, err)
			require.NotEmpty(t, found, "%q: there is no %s", line, name)
			dir, last = path.Dir(name), name
			if strings.HasSuffix(name, "/") {
				dir, last = path.Clean(name), ""
			}
		}
	}
	require.Greater(t, rows, 30)
}

var (
	namedTest    = regexp.MustCompile("`(Test[A-Za-z0-9_]+)`")
	declaredTest = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

func TestConformanceNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	there := map[string]bool{}
	require.NoError(t, filepath.WalkDir(harness.RepoRoot(), func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		for _, m := range declaredTest.FindAllSubmatch(text, -1) {
			there[string(m[1])] = true
		}
		return err
	}))
	text, err := os.ReadFile(filepath.Join(harness.RepoRoot(), "docs/conformance.md"))
	require.NoError(t, err)
	named := namedTest.FindAllSubmatch(text, -1)
	require.Greater(t, len(named), 100)
	for _, m := range named {
		require.True(t, there[string(m[1])], "there is no %s", m[1])
	}
}

// section is the part of a document under a heading.
func section(t *testing.T, document, heading string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.RepoRoot(), document))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(text), heading+"\n")
	require.True(t, found, "%s has no %q", document, heading)
	rest, _, _ = strings.Cut(rest, "\n## ")
	return rest
}

func mentions(t *testing.T, file, name string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.RepoRoot(), file))
	require.NoError(t, err)
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).Match(text)
}
