package test

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/devserver"
	"errand/test/harness"
)

// demoPatience leaves room for a build of the command on busy cores.
const demoPatience = 4 * time.Minute

var demoLink = regexp.MustCompile(`Web UI of the run: (http://127\.0\.0\.1:\d+/namespaces/default/workflows/\S+)`)

// demoStage is a home of its own, in which every setting of the user's that
// could lead the demo astray is wrong.
type demoStage struct {
	home, tmp, mark string
	env             []string
}

func newDemoStage(t *testing.T) *demoStage {
	t.Helper()
	d := &demoStage{home: t.TempDir(), tmp: t.TempDir()}
	d.mark = "DEMO_TEST_MARK=" + filepath.Base(filepath.Dir(d.home)) + strconv.Itoa(os.Getpid())
	profiles := filepath.Join(d.home, ".config", "temporalio", "temporal.toml")
	require.NoError(t, os.MkdirAll(filepath.Dir(profiles), 0o700))
	require.NoError(t, os.WriteFile(profiles, []byte("[profile.default]\naddress = \"127.0.0.1:1\"\n[profile.default.tls]\n"), 0o600))
	binary, err := devserver.Binary(t.Context(), os.Stderr)
	require.NoError(t, err)
	d.env = []string{
		"HOME=" + d.home, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "TMPDIR=" + d.tmp, d.mark,
		devserver.EnvCLI + "=" + binary,
		"OPENAI_BASE_URL=http://127.0.0.1:1/v1", "OPENAI_API_KEY=secret", "ERRAND_MODEL_API=chat",
		"ERRAND_TASK_QUEUE=elsewhere", "ERRAND_CONFIG=/missing.yaml",
		"TEMPORAL_ADDRESS=127.0.0.1:1", "TEMPORAL_NAMESPACE=elsewhere", "TEMPORAL_PROFILE=missing",
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // they are below HOME otherwise
		value, err := exec.Command("go", "env", name).Output()
		require.NoError(t, err)
		d.env = append(d.env, name+"="+strings.TrimSpace(string(value)))
	}
	return d
}

func (d *demoStage) start(t *testing.T, path string, args []string, more ...string) *harness.Process {
	t.Helper()
	return harness.StartProcess(t, harness.Command{Path: path, Args: args, Env: append(d.env, more...), Dir: harness.RepoRoot()})
}

// requireClean wants no process that was started by the demo, and no file.
func (d *demoStage) requireClean(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "linux" { // elsewhere the environment of others is not to be read
		harness.Eventually(t, patience, func() (bool, string) {
			left := d.marked()
			return len(left) == 0, strings.Join(left, "\n")
		}, "no process of the demo left")
	}
	files, err := os.ReadDir(d.tmp)
	require.NoError(t, err)
	require.Empty(t, files, "files left in the directory for temporary files")
	files, err = os.ReadDir(d.home)
	require.NoError(t, err)
	for _, file := range files {
		require.Contains(t, []string{".config"}, file.Name(), "files left at home")
	}
}

// marked are the command lines of the processes that carry the mark.
func (d *demoStage) marked() []string {
	var all []string
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte(d.mark+"\x00")) {
			continue // ended, or of another user
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		all = append(all, string(bytes.ReplaceAll(line, []byte{0}, []byte(" "))))
	}
	return all
}

func TestDemoDoesTheMainJobAndCleansUp(t *testing.T) {
	t.Parallel()
	d := newDemoStage(t)
	demo := d.start(t, "go", []string{"run", "./test/demo"})
	require.Zero(t, demo.Wait(t, demoPatience))
	for _, part := range []string{
		"→ now (call_1)", "→ read_file (call_2)", "→ get_flight_times (call_3)", "for the client",
		"✓ now (call_1) succeeded", "✓ read_file (call_2) succeeded", "✓ get_flight_times (call_3) succeeded",
		"run completed", `Your note says "Dinner in New York, Friday at 18:30"`,
		"LAX to JFK at 07:10, 09:05 and 13:40", "Take the one at 09:05.", "nothing is left running",
	} {
		require.Contains(t, demo.Stdout(), part)
	}
	require.Regexp(t, demoLink, demo.Stdout())
	require.Empty(t, demo.Stderr())
	d.requireClean(t)
}

func TestDemoStaysIfAskedAndEndsWithCtrlC(t *testing.T) {
	t.Parallel()
	d := newDemoStage(t)
	demo := d.start(t, buildDemo(t), nil, "DEMO_KEEP=1")
	demo.WaitFor(t, "Everything keeps running until Ctrl-C.", demoPatience)
	link := demo.WaitForMatch(t, demoLink, patience)[1]
	answer, err := http.Get(link)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
	if runtime.GOOS == "linux" {
		require.Len(t, d.marked(), 3, "the demo, errand dev and its server: %q", d.marked())
	}
	demo.Interrupt()
	require.Zero(t, demo.Wait(t, patience))
	d.requireClean(t)
}

func TestDemoInterruptedAtAnyTimeLeavesNothing(t *testing.T) {
	t.Parallel()
	binary := buildDemo(t)
	for name, line := range map[string]string{
		"building": "go build", "starting Temporal": "errand dev", "running": "round 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDemoStage(t)
			demo := d.start(t, binary, nil)
			demo.WaitFor(t, line, demoPatience)
			demo.Interrupt()
			require.Equal(t, 130, demo.Wait(t, patience))
			require.Contains(t, demo.Output(), "Interrupted; nothing is left running.")
			d.requireClean(t)
		})
	}
}

func TestDemoSaysInOneLineWhatFailed(t *testing.T) {
	t.Parallel()
	d := newDemoStage(t)
	demo := d.start(t, buildDemo(t), nil, devserver.EnvCLI+"=/missing/temporal")
	require.Equal(t, 1, demo.Wait(t, patience))
	require.Regexp(t, `\Ademo: .*/missing/temporal is not an executable file.*\n\z`, demo.Stderr())
	d.requireClean(t)
}

// buildDemo builds the demo itself: signals to `go run` do not reach it.
func buildDemo(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "demo")
	build := exec.Command("go", "build", "-o", binary, "./test/demo")
	build.Dir = harness.RepoRoot()
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	return binary
}
