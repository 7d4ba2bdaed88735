package test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/devserver"
	"errand/test/harness"
)

var readmeBlocks = regexp.MustCompile("(?s)(?:<!-- ([^>]*?) -->\n)?```sh\n(.*?)```")

// TestReadmeCommandsWorkFromAnEmptyClone types what the README says, word for
// word, into a clone of this repository.
func TestReadmeCommandsWorkFromAnEmptyClone(t *testing.T) {
	t.Parallel()
	clone := filepath.Join(t.TempDir(), "errand")
	git := exec.Command("git", "clone", "--quiet", "--no-hardlinks", harness.RepoRoot(), clone)
	out, err := git.CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(filepath.Join(clone, "README.md"))
	require.NoError(t, err)
	found := readmeBlocks.FindAllStringSubmatch(string(text), -1)
	require.Len(t, found, 4, "the README's commands: demo, install, terminal 1, terminal 2")

	model := harness.StartModel(t, harness.Rounds(harness.Call("now", `{"timezone":"Asia/Tokyo"}`), harness.Say("It is late in Tokyo.")))
	reader := newReader(t, clone, model)
	require.Contains(t, reader.types(found[0][2]), "http", "the demo shows the Web UI's link")
	reader.types(found[1][2])

	require.Equal(t, "terminal 1", found[2][1])
	dev := harness.StartProcess(t, harness.Command{
		Path: "/bin/bash", Args: []string{"-c", "exec " + found[2][2]}, Dir: clone, Env: reader.env,
	})
	dev.WaitFor(t, "Web UI", patience)
	require.Equal(t, "terminal 2", found[3][1])
	require.Contains(t, reader.types(found[3][2]), "It is late in Tokyo.")
	dev.Interrupt()
	require.Zero(t, dev.Wait(t, patience))
	require.False(t, devserver.Answering(t.Context(), reader.address), "errand dev leaves nothing running")
}

// reader is somebody who types commands in a clone.
type reader struct {
	t       *testing.T
	dir     string
	env     []string
	address string
}

func newReader(t *testing.T, dir string, model *harness.ScriptedModel) *reader {
	t.Helper()
	bin := t.TempDir()
	address := freeAddress(t)
	return &reader{t: t, dir: dir, address: address, env: []string{
		"GOBIN=" + bin, "PATH=" + bin + ":" + os.Getenv("PATH"), "GOFLAGS=" + os.Getenv("GOFLAGS"),
		"OPENAI_BASE_URL=" + model.URL(), "OPENAI_API_KEY=none", "TEMPORAL_ADDRESS=" + address,
	}}
}

// types runs a block to its end and returns what a terminal would show.
func (r *reader) types(script string) string {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = r.dir
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "TEMPORAL_") && !strings.HasPrefix(kv, "ERRAND_") && !strings.HasPrefix(kv, "OPENAI_") || strings.HasPrefix(kv, "ERRAND_TEMPORAL_CLI=") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, r.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 5 * time.Second
	require.NoError(r.t, cmd.Run(), "%s\n%s", script, &out)
	return out.String()
}
