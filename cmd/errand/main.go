// Command errand starts, follows, answers and cancels durable runs of models
// and their tools, and runs the worker and the development server that execute
// them. Linked or copied as temporal-errand it is a plugin of the temporal
// CLI: "temporal errand run …".
//
// What it exits with:
//
//	0    completed, or done as asked
//	1    the run failed, or any other error
//	2    bad usage, or an invalid request
//	3    the run ended incomplete
//	4    the run was cancelled
//	6    Temporal cannot be reached, or no worker replies
//	7    unknown run
//	8    refused: the run does not take what was sent
//	130  interrupted while the run goes on
//
// Standard output has what was asked for: a run's final text, a transcript, a
// list. Progress, questions and errors go to standard error.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(newApp(os.Args[0]).execute(context.Background(), os.Args[1:]))
}
