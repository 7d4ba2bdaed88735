// Command demo does the main job of Errand on one machine, with nothing but Go:
// no key, no Docker. Temporal, its Web UI, the worker and the errand command
// are real; only the model reads its lines from a script.
//
//	go run ./test/demo
//
// It ends by itself and leaves nothing running. With DEMO_KEEP=1 it stays until
// Ctrl-C, so that there is time to look around.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// What the demo exits with; 0 if everything went well.
const (
	exitFailed      = 1
	exitInterrupted = 130
)

// keepVariable asks the demo to stay.
const keepVariable = "DEMO_KEEP"

var errInterrupted = errors.New("interrupted")

func main() {
	if filepath.Base(os.Args[0]) == flightTimes {
		os.Exit(answerFlightTimes(os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(run(newTeller(os.Stdout)))
}

func run(tell *teller) int {
	ctx, stop := interruptible()
	defer stop()
	begin := time.Now()
	err := play(ctx, tell)
	switch {
	case err == nil:
		tell.end(time.Since(begin))
		return 0
	case context.Cause(ctx) != nil:
		tell.line("\nInterrupted; nothing is left running.")
		return exitInterrupted
	}
	fmt.Fprintln(os.Stderr, "demo:", err)
	return exitFailed
}

// interruptible ends when somebody asks the process to stop. Later signals
// change nothing: stopping takes seconds, and cutting it short would leave
// processes behind.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-signals
		cancel(errInterrupted)
	}()
	return ctx, func() { signal.Stop(signals) }
}

// play is the demo from the first line to the last; it takes down what it has
// put up.
func play(ctx context.Context, tell *teller) (err error) {
	tell.line("Errand demo: a model asks for two tools of the worker and one of its client.")
	tell.line("Everything runs on this machine; no key, no Docker. Only the model is scripted.")
	stage, err := setStage(ctx, tell)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.clear()) }()
	model, err := startModel(tell)
	if err != nil {
		return err
	}
	defer model.Close()
	dev, err := stage.startDev(ctx, tell, model.URL())
	if err != nil {
		return err
	}
	defer dev.stop()
	if err := stage.errand(ctx, tell, runArguments(stage.address)...); err != nil {
		return err
	}
	tell.durable(stage)
	if !keeps() {
		return nil
	}
	return dev.keep(ctx)
}

// keeps tells whether the demo is asked to stay.
func keeps() bool {
	value := os.Getenv(keepVariable)
	return value != "" && value != "0"
}
