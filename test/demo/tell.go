package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// teller writes what the audience reads. As an io.Writer it takes the output
// of other programs, which is set off from its own.
type teller struct {
	mu   sync.Mutex
	out  io.Writer
	part []byte
}

func newTeller(out io.Writer) *teller { return &teller{out: out} }

// Write implements io.Writer. An unfinished line waits for its end.
func (t *teller) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.part = append(t.part, p...)
	for {
		line, rest, found := bytes.Cut(t.part, []byte("\n"))
		if !found {
			return len(p), nil
		}
		if _, err := fmt.Fprintf(t.out, "  | %s\n", line); err != nil {
			return len(p), err
		}
		t.part = append([]byte(nil), rest...)
	}
}

func (t *teller) line(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = fmt.Fprintf(t.out, format+"\n", args...)
}

// step announces what may take a while; done says how it went.
func (t *teller) step(what string) { t.line("\n* %s", what) }

func (t *teller) done(format string, args ...any) { t.line("  "+format, args...) }

// command shows a command line, so that it can be typed again.
func (t *teller) command(arguments ...string) { t.line("\n$ errand %s", strings.Join(arguments, " ")) }

func (t *teller) commandWith(variable string, arguments ...string) {
	t.line("\n$ %s errand %s", variable, strings.Join(arguments, " "))
}

// durable says what has just been seen, and where to see more of it.
func (t *teller) durable(s *stage) {
	t.line("\nEach inference, call and outcome was in Temporal before the next step began: kill the worker, the")
	t.line("server or the client at any point, start it again, and the run goes on from there, days later too.")
	t.line("\nWeb UI of the run: http://%s/namespaces/default/workflows/%s", s.webUI, runID)
	if keeps() {
		t.line("To look around, in another terminal:\n\n  cd %s\n  bin/errand show %s --address %s", s.dir, runID, s.address)
		t.line("\nEverything keeps running until Ctrl-C.")
		return
	}
	t.line("It ends with the demo. To have time to look around: %s=1 make demo", keepVariable)
}

// end is the last line. How long somebody has looked around is their own affair.
func (t *teller) end(took time.Duration) {
	if keeps() {
		t.line("\nNothing is left running.")
		return
	}
	t.line("\nDone in %s; nothing is left running.", seconds(took))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
