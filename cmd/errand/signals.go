package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilStopped ends when somebody asks the process to stop. From then on a
// second Ctrl-C kills it as usual.
func untilStopped(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// interruptions gives every Ctrl-C and SIGTERM until release is called.
func interruptions() (signals <-chan os.Signal, release func()) {
	all := make(chan os.Signal, 4)
	signal.Notify(all, os.Interrupt, syscall.SIGTERM)
	return all, func() { signal.Stop(all) }
}
