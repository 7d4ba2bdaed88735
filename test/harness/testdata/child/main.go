// Command child is a process for the tests of the harness: it says what it
// got, and ends when it is told to.
package main

import (
	"fmt"
	"os"
	"os/signal"
)

func main() {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	fmt.Fprintf(os.Stdout, "key=%q mine=%q\n", os.Getenv("OPENAI_API_KEY"), os.Getenv("MINE"))
	fmt.Fprintf(os.Stderr, "ready %s\n", os.Args[1])
	<-interrupted
	fmt.Fprintln(os.Stdout, "interrupted")
	os.Exit(7)
}
