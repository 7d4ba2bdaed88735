package test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/devserver"
	"errand/starter"
	"errand/test/harness"
	"errand/worker"
	"errand/workflows/contract"
)

// block is a fenced shell block of a document, and the run that the reader
// would wait for before typing it.
type block struct {
	script string
	wait   string
}

var blocks = regexp.MustCompile("(?s)(?:<!-- wait: ([^>]*?) -->\n)?```sh\n(.*?)```")

func shellBlocks(t *testing.T, document string) []block {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.RepoRoot(), document))
	require.NoError(t, err)
	var all []block
	for _, m := range blocks.FindAllStringSubmatch(string(text), -1) {
		all = append(all, block{wait: m[1], script: m[2]})
	}
	require.NotEmpty(t, all, "%s has no shell blocks", document)
	return all
}

func TestTemporalCLIAloneDoesTheMainJob(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Rounds(
		harness.Calls(
			harness.ToolCall{ID: "c1", Name: "now", Arguments: `{}`},
			harness.ToolCall{ID: "c2", Name: "get_flight_times", Arguments: `{"departure":"LAX","arrival":"JFK"}`},
		),
		harness.Say("At 09:00 and at 17:30."),
	))
	s.queue = contract.DefaultTaskQueue // as the document says; no other test uses it on this server
	s.starter = starter.New(s.client)
	s.work("responses", worker.WithBuiltins())
	dir := t.TempDir()
	var output []string
	for _, b := range shellBlocks(t, "docs/temporal-cli.md") {
		s.awaitRun(b.wait)
		output = append(output, s.shell(dir, b.script))
	}
	for i, want := range []string{
		"WorkflowId", `"tool_call_manifest"`, "act_1_1", "completed", "At 09:00 and at 17:30.", "tool_execution_end",
		"WorkflowId", `"rejected"`, "WorkflowId", "queued", `"cancelled"`,
		"WorkflowId", "wrong airport",
	} {
		require.Contains(t, output[i], want, "block %d", i+1)
	}
	require.Len(t, output, 13)
}

// awaitRun waits until the run is where the document says.
func (s *stage) awaitRun(wait string) {
	s.t.Helper()
	words := strings.Fields(wait)
	if len(words) == 0 {
		return
	}
	want := contract.PendingAction
	if len(words) > 1 {
		want = contract.Status(words[1])
	}
	run := s.starter.Attach(words[0])
	harness.Eventually(s.t, patience, func() (bool, string) {
		status, err := run.Status(s.t.Context())
		if err != nil {
			return false, err.Error()
		}
		return status.Status == want, string(status.Status)
	}, words[0]+" is "+string(want))
}

// shell runs a block as a reader would, with the temporal CLI on PATH.
func (s *stage) shell(dir, script string) string {
	s.t.Helper()
	binary, err := devserver.Binary(s.t.Context(), os.Stderr)
	require.NoError(s.t, err)
	bin := s.t.TempDir()
	require.NoError(s.t, os.Symlink(binary, filepath.Join(bin, "temporal")))
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "TEMPORAL_ADDRESS="+s.server)
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "%s\n%s", script, out)
	return string(out)
}
