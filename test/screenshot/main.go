// Command screenshot takes the pictures of the Web UI for the documentation. It
// starts a Temporal development server, a worker and a scripted model, has a
// run wait for its client, and looks at it with a headless Chromium:
//
//	go run ./test/screenshot -out docs/images
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"errand/cmd/errand/devserver"
	"errand/test/webui"
)

// limit is far above the ten seconds that it takes.
const limit = 2 * time.Minute

var errSlow = fmt.Errorf("not done within %s", limit)

func main() {
	out := flag.String("out", "docs/images", "directory of the pictures")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSlow)
	err := shoot(ctx, *out)
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "screenshot:", err)
		os.Exit(1)
	}
}

func shoot(ctx context.Context, out string) (err error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	// The browser goes first: without one, nothing else is worth a start.
	browser, err := webui.Start(ctx)
	if err != nil {
		return err
	}
	defer browser.Close()
	binary, err := devserver.Binary(ctx, os.Stderr)
	if err != nil {
		return err
	}
	server, err := devserver.Start(ctx, devserver.Options{Binary: binary})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()
	scene, err := webui.SetScene(ctx, server)
	if err != nil {
		return err
	}
	defer scene.Close()
	files, err := webui.Shoot(ctx, browser, scene, out)
	for _, file := range files {
		fmt.Println(file)
	}
	return err
}
