package test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/test/harness"
)

// TestImportRules holds over all steps what depguard holds over one.
func TestImportRules(t *testing.T) {
	t.Parallel()
	const (
		openai   = "github.com/openai/openai-go"
		zap      = "go.uber.org/zap"
		schema   = "github.com/santhosh-tekuri/jsonschema"
		sdk      = "go.temporal.io/"
		mcp      = "github.com/mark3labs/mcp-go"
		aws      = "github.com/aws"
		contract = "errand/workflows/contract"
	)
	for name, banned := range map[string][]string{
		"errand/tools":            {mcp, openai, zap, schema, sdk, "errand/activities", "errand/workflows", "errand/worker", "errand/starter"},
		"errand/tools/item":       {openai, zap, schema, sdk, "errand/"},
		"errand/storage":          {mcp, openai, zap, "errand/activities", "errand/workflows", "errand/worker", "errand/starter"},
		"errand/activities":       {aws, mcp, openai, zap, "errand/workflows", "errand/worker", "errand/starter", "errand/tools/platform", "errand/tools/builtin"},
		"errand/workflows":        {aws, mcp, openai, zap, "errand/worker", "errand/starter", "errand/activities/openaimodel", "errand/tools/builtin"},
		"errand/starter":          {aws, mcp, openai, schema, "errand/worker", "errand/activities", "errand/workflows", "errand/tools/builtin", "errand/tools/platform"},
		"errand/worker":           {"errand/starter", "errand/cmd"},
		"errand/worker/config":    {"errand/starter", "errand/cmd", "errand/worker/checkup"},
		"errand/cmd/errand":       {"errand/test"},
		"errand/tools/retryafter": {"errand/", openai, zap, schema, sdk},
		"errand/tools/hosts":      {"errand/", openai, zap, schema, sdk},
		"errand/tools/mcp":        {openai, zap, sdk, "errand/activities", "errand/workflows", "errand/worker"},
		"errand/tools/web":        {openai, zap, sdk, "errand/activities", "errand/workflows", "errand/worker"},
		"errand/tools/textcall":   {"errand/", openai, zap, schema, sdk},
		"errand/tools/skill":      {openai, zap, sdk, "errand/activities", "errand/workflows", "errand/worker"},
		"errand/tools/schema":     {openai, zap, sdk, "errand/activities", "errand/workflows"},
		"errand/tools/process":    {"errand/", openai, zap, schema, sdk},
		contract:                  {"github.com/", "go.uber.org/", "golang.org/", sdk, "errand/activities", "errand/workflows", "errand/worker", "errand/starter"},

		"errand/activities/openaimodel/chat":      {aws, mcp, openai, zap, "errand/workflows", "errand/worker", "errand/starter"},
		"errand/activities/openaimodel/responses": {aws, mcp, openai, zap, "errand/workflows", "errand/worker", "errand/starter"},
		"errand/activities/openaimodel/rawjson":   {"errand/", openai, sdk},
		"errand/activities/openaimodel/sse":       {"errand/", openai, sdk},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := exec.Command("go", "list", "-deps", "./"+strings.TrimPrefix(name, "errand/"))
			list.Dir = harness.RepoRoot()
			out, err := list.CombinedOutput()
			require.NoError(t, err, string(out))
			for _, dep := range strings.Fields(string(out)) {
				told := name == "errand/starter" || strings.HasPrefix(name, "errand/activities")
				if dep == name || (dep == contract && told) { // they do not import the workflows, but know what they tell
					continue
				}
				require.False(t, slices.ContainsFunc(banned, func(b string) bool { return strings.HasPrefix(dep, b) }),
					"%s must not need %s", name, dep)
			}
		})
	}
}
