package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"errand/cmd/errand/devserver"
	"errand/test/harness"
)

// stage is a temporary directory with all that the demo needs: the errand
// binary, the request, the files of the worker, the database.
type stage struct {
	dir         string
	temporalCLI string
	// address is that of Temporal, webUI that of its Web UI.
	address, webUI string
}

// setStage gets the Temporal CLI, builds errand and writes the files.
func setStage(ctx context.Context, tell *teller) (*stage, error) {
	tell.step("Temporal CLI")
	binary, err := devserver.Binary(ctx, tell)
	if err != nil {
		return nil, err
	}
	tell.done("%s", binary)
	dir, err := os.MkdirTemp("", "errand-demo-")
	if err != nil {
		return nil, err
	}
	s := &stage{dir: dir, temporalCLI: binary}
	if err := s.furnish(ctx, tell); err != nil {
		return nil, errors.Join(err, s.clear())
	}
	return s, nil
}

func (s *stage) furnish(ctx context.Context, tell *teller) error {
	tell.step("go build ./cmd/errand (about a minute the first time)")
	begin := time.Now()
	build := exec.Command("go", "build", "-o", s.path("bin", "errand"), "./cmd/errand")
	build.Dir = harness.RepoRoot()
	// A build that is killed leaves its own temporary files behind: let them be
	// in what the demo removes.
	build.Env = append(os.Environ(), "GOTMPDIR="+s.dir)
	build.Stdout, build.Stderr = tell, tell
	if err := finish(ctx, build); err != nil {
		return fmt.Errorf("building errand: %w", err)
	}
	tell.done("%s", seconds(time.Since(begin)))
	text, err := json.MarshalIndent(request(), "", "  ")
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(s.path(requestFile), text, 0o600),
		os.Mkdir(s.path("files"), 0o700),
		os.WriteFile(s.path("files", tripFile), []byte(tripText), 0o600),
		os.Symlink(self, s.path(flightTimes)),
	)
}

func (s *stage) path(parts ...string) string {
	return filepath.Join(append([]string{s.dir}, parts...)...)
}

func (s *stage) clear() error { return os.RemoveAll(s.dir) }

func startModel(tell *teller) (*harness.ScriptedModel, error) {
	tell.step("a scripted model")
	model := harness.NewScriptedModel(script())
	if err := model.Start("127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("starting the scripted model: %w", err)
	}
	tell.done("%s, Responses and Chat Completions", model.URL())
	return model, nil
}

// command is the errand command as a user would call it in the directory of
// the stage, deaf to the settings that the user has for real work.
func (s *stage) command(more []string, arguments ...string) *exec.Cmd {
	cmd := exec.Command(s.path("bin", "errand"), arguments...)
	cmd.Dir = s.dir
	for _, variable := range os.Environ() {
		if !steers(variable) {
			cmd.Env = append(cmd.Env, variable)
		}
	}
	cmd.Env = append(cmd.Env, "TEMPORAL_CONFIG_FILE="+s.path("no-profiles.toml"), devserver.EnvCLI+"="+s.temporalCLI)
	cmd.Env = append(cmd.Env, more...)
	return cmd
}

func steers(variable string) bool {
	for _, prefix := range []string{"OPENAI_", "TEMPORAL_", "ERRAND_"} {
		if strings.HasPrefix(variable, prefix) {
			return true
		}
	}
	return false
}

// errand runs one command to its end and shows what it says.
func (s *stage) errand(ctx context.Context, tell *teller, arguments ...string) error {
	tell.command(arguments...)
	cmd := s.command(nil, arguments...)
	cmd.Stdout, cmd.Stderr = tell, tell // one pipe for both keeps their order
	if err := finish(ctx, cmd); err != nil {
		return fmt.Errorf("errand %s: %w", arguments[0], err)
	}
	return nil
}
