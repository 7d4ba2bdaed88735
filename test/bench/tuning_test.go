package bench

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/test/harness"
)

func TestBothWorkersAreTunedAlike(t *testing.T) {
	t.Parallel()
	product := settings(t, filepath.Join(harness.RepoRoot(), "worker", "tuning.go"))
	require.Contains(t, product, "OnFatalError: fatal")
	delete(product, "OnFatalError: fatal") // reports a broken worker, tunes nothing
	// Minimal opens nothing, so its worker has no queue of its own.
	delete(product, "ownCalls = 100_000")
	delete(product, "ownPollers = 5")
	require.Equal(t, product, settings(t, "options_test.go"))
}

// settings are the constants of a file and what it sets of sdkworker.Options,
// as source text.
func settings(t *testing.T, path string) map[string]bool {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	all := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			all[n.Names[0].Name+" = "+source(t, files, n.Values[0])] = true
		case *ast.CompositeLit:
			if source(t, files, n.Type) != "sdkworker.Options" {
				return true
			}
			for _, field := range n.Elts {
				all[source(t, files, field)] = true
			}
		}
		return true
	})
	return all
}

func source(t *testing.T, files *token.FileSet, node any) string {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, format.Node(&text, files, node))
	return text.String()
}
