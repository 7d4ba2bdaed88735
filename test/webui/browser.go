package webui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"errand/tools/process"
)

// names are what Chromium is called on different systems.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

// ErrNoBrowser says how to get one.
var ErrNoBrowser = errors.New("no Chromium on PATH (chromium, chromium-browser or google-chrome): install it with `make chromium`")

// closeGrace is how long a browser may take to end when it is asked to.
const closeGrace = 5 * time.Second

// Browser is a headless Chromium with a profile of its own. Close it.
type Browser struct {
	child   *process.Child
	pipe    *pipe
	profile string
}

// Start starts a browser. A call that is given up, here or later, because its
// ctx ends kills the browser.
func Start(ctx context.Context) (*Browser, error) {
	binary, err := find()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "errand-chromium-")
	if err != nil {
		return nil, err
	}
	pipe, theirs, err := newPipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(profile))
	}
	cmd := exec.Command(binary, arguments(profile)...)
	cmd.ExtraFiles = theirs
	child, err := process.Start(cmd)
	for _, file := range theirs {
		_ = file.Close() // the child has its own; ours would hide its end
	}
	if err != nil {
		pipe.close()
		return nil, errors.Join(fmt.Errorf("start %s: %w", binary, err), os.RemoveAll(profile))
	}
	b := &Browser{child: child, pipe: pipe, profile: profile}
	if err := b.call(ctx, command{Method: "Browser.getVersion", Params: none}, nil); err != nil {
		b.Close()
		return nil, fmt.Errorf("%s does not start: %w", binary, err)
	}
	return b, nil
}

func find() (string, error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoBrowser
}

func arguments(profile string) []string {
	return []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--hide-scrollbars", "--user-data-dir=" + profile, "--remote-debugging-pipe", "about:blank",
	}
}

// none is a request without parameters.
var none = struct{}{}

func (b *Browser) call(ctx context.Context, c command, result any) error {
	stop := context.AfterFunc(ctx, b.child.Kill)
	defer stop()
	err := b.pipe.call(c, result)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s: %w", c.Method, context.Cause(ctx))
	}
	return err
}

// Close ends the browser, by force if it must, and removes its profile.
func (b *Browser) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	_ = b.call(ctx, command{Method: "Browser.close", Params: none}, nil)
	select {
	case <-b.child.Done():
	case <-ctx.Done():
	}
	b.child.Kill() // also what it has left behind
	<-b.child.Done()
	b.pipe.close()
	_ = os.RemoveAll(b.profile)
}
