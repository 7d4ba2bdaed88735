package worker_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/worker"
)

// skillFolder holds one skill whose SKILL.md has that text.
func skillFolder(t *testing.T, text string) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "mail"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "mail", "SKILL.md"), []byte(text), 0o600))
	return root
}

func TestSkillsAreAmongTheBuiltins(t *testing.T) {
	t.Parallel()
	config := worker.Config{Skills: worker.Skills{Root: skillFolder(t, "---\nname: mail\ndescription: d\n---\n")}}
	taken := worker.WithTools(worker.Tool{
		Name:    "load_skill",
		Execute: func(context.Context, tools.Invocation) (tools.Output, error) { return tools.Output{}, nil },
	})
	_, err := worker.New(config, worker.WithModel(silent{}), worker.WithBuiltins())
	require.NoError(t, err)
	_, err = worker.New(config, worker.WithModel(silent{}), worker.WithBuiltins(), taken)
	require.ErrorContains(t, err, `tool "load_skill" is already registered`)
	_, err = worker.New(config, worker.WithModel(silent{}), taken)
	require.NoError(t, err, "without the built-in tools")
	_, err = worker.New(worker.Config{}, worker.WithModel(silent{}), worker.WithBuiltins(), taken)
	require.NoError(t, err, "without a folder")
}

func TestFaultsOfSkillsAreFaultsOfTheWorker(t *testing.T) {
	t.Parallel()
	root := skillFolder(t, "---\nname: post\n---\n")
	_, err := worker.New(worker.Config{Skills: worker.Skills{Root: root}, Log: worker.Log{Level: "loud"}},
		worker.WithModel(silent{}), worker.WithBuiltins())
	file := filepath.Join(root, "mail", "SKILL.md")
	require.EqualError(t, err, "worker: 3 faults in the worker's set-up:\n"+
		`  log.level: "loud": must be one of debug, info, warn, error`+"\n"+
		"  "+file+`:2: name: "post" is not the name of the folder, "mail": make them the same`+"\n"+
		"  "+file+`: description: required: what the skill does and when to use it`)

	_, err = worker.New(worker.Config{Skills: worker.Skills{Root: "no/such/folder"}}, worker.WithModel(silent{}), worker.WithBuiltins())
	require.EqualError(t, err, "worker: 1 fault in the worker's set-up:\n"+
		`  skills.root: skills folder "no/such/folder" does not exist`)

	_, err = worker.New(worker.Config{Skills: worker.Skills{Root: " "}}, worker.WithModel(silent{}), worker.WithBuiltins())
	require.EqualError(t, err, "worker: 1 fault in the worker's set-up:\n"+
		`  skills.root: " ": must not be empty: write a directory`)
}
