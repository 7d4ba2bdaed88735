package skill_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/tools/platform"
	"errand/tools/skill"
)

const pdf = "---\nname: pdf-forms\ndescription: Fills PDF forms.\n---\n# Forms\n\nRead reference.md.\n"

// folder is a folder of files: name and text in turn.
func folder(t *testing.T, pairs ...string) string {
	t.Helper()
	root := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		write(t, filepath.Join(root, filepath.FromSlash(pairs[i])), pairs[i+1])
	}
	return root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func load(t *testing.T, root string) platform.Tool {
	t.Helper()
	library, err := skill.Load(root)
	require.NoError(t, err)
	return library.Tool()
}

// call executes load_skill as a run does.
func call(t *testing.T, tool platform.Tool, arguments string) (string, error) {
	t.Helper()
	source, err := platform.NewSource(tool)
	require.NoError(t, err)
	output, err := source.Execute(t.Context(), "load_skill", tools.Invocation{Arguments: json.RawMessage(arguments)})
	if err != nil {
		return "", err
	}
	require.IsType(t, "", output.Content)
	text, _ := output.Content.(string)
	return text, nil
}
