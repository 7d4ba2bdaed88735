// Conformance runs the client scenarios of the conformance suite of the Model
// Context Protocol against the package with which a worker calls servers, and
// prints what became of each: `make conformance`. Scenarios that need OAuth are
// left out; any other that fails, and is not in expected, is a fault.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"errand/test/harness"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := conform(ctx); err != nil {
		stop()
		log.Fatal(err)
	}
}

func conform(ctx context.Context) error {
	scratch, err := os.MkdirTemp("", "errand-conformance-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	r, err := newRunner(ctx, scratch)
	if err != nil {
		return err
	}
	list, err := r.run(ctx, "list", "--client")
	if err != nil {
		return fmt.Errorf("listing the scenarios: %w\n%s", err, list)
	}
	cases, oauth := parseList(list)
	if len(cases) == 0 {
		return fmt.Errorf("the runner lists no scenario that needs no OAuth:\n%s", list)
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(out, "scenario\tversion\tpassed\tfailed\tskipped\t")
	var faults []error
	var passed int
	for _, c := range cases {
		v, err := r.play(ctx, c)
		if err != nil {
			return fmt.Errorf("%s %s: %w", c.scenario, c.version, err)
		}
		said, fault := classify(c, v)
		_, _ = fmt.Fprintf(out, "%s\t%s\t%d\t%d\t%d\t%s\n", c.scenario, c.version, v.passed, len(v.failed), v.skipped, said)
		if fault != nil {
			faults = append(faults, fault)
		}
		if said == "passed" {
			passed++
		}
	}
	_ = out.Flush()
	_, _ = fmt.Fprintf(os.Stdout, "\n%d of %d passed, %d did not as expected, %d faults; %d scenarios need OAuth and were not run.\n",
		passed, len(cases), len(cases)-passed-len(faults), len(faults), oauth)
	return errors.Join(faults...)
}

// runner starts the conformance suite.
type runner struct {
	node, script, client, scratch string
}

func newRunner(ctx context.Context, scratch string) (runner, error) {
	dir := filepath.Join(harness.RepoRoot(), "test", "conformance")
	r := runner{client: filepath.Join(scratch, "client"), scratch: scratch}
	var err error
	if r.script, err = harness.NPM(dir, "node_modules/@modelcontextprotocol/conformance/dist/index.js"); err != nil {
		return r, err
	}
	r.node = filepath.Join(dir, "node_modules", "node", "bin", "node")
	if _, err := os.Stat(r.node); err != nil {
		return r, fmt.Errorf("npm did not install the suite's Node (its package has an install script, which npm must be allowed to run): %w", err)
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", r.client, "./client")
	build.Dir = dir
	if said, err := build.CombinedOutput(); err != nil {
		return r, fmt.Errorf("building the client: %w\n%s", err, said)
	}
	return r, nil
}

func (r runner) run(ctx context.Context, arguments ...string) (string, error) {
	cmd := exec.CommandContext(ctx, r.node, append([]string{r.script}, arguments...)...)
	cmd.Dir = r.scratch
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// play runs one scenario.
func (r runner) play(ctx context.Context, c scenario) (verdict, error) {
	dir, err := os.MkdirTemp(r.scratch, strings.ReplaceAll(c.scenario, "/", "-"))
	if err != nil {
		return verdict{}, err
	}
	arguments := []string{"client", "--command", r.client, "--scenario", c.scenario, "--output-dir", dir}
	if c.version != extension {
		arguments = append(arguments, "--spec-version", c.version)
	}
	said, ended := r.run(ctx, arguments...)
	if ctx.Err() != nil {
		return verdict{}, ctx.Err()
	}
	v, err := readVerdict(dir)
	if err != nil {
		return v, fmt.Errorf("%w\n%s", err, said)
	}
	v.ok, v.said = ended == nil, said
	return v, nil
}
