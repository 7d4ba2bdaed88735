// Package prompttest has a terminal with a scripted person at it, for the tests of
// what prompts.
package prompttest

import (
	"io"
	"strings"
	"sync"
)

// Step waits until a text appears on the screen and then types something.
type Step struct {
	See string
	// Type is what is typed; Do is called before it, if given.
	Type string
	Do   func()
}

// Terminal is both ends of a terminal.
type Terminal struct {
	mu     sync.Mutex
	screen strings.Builder
	// read is how much of the screen the person has looked at.
	read  int
	steps []Step
	typed chan Step
	in    *io.PipeReader
}

// New seats a person who follows the steps in order. After the last one the
// input stays open: Close ends it.
func New(steps ...Step) *Terminal {
	in, keys := io.Pipe()
	t := &Terminal{steps: steps, typed: make(chan Step, len(steps)), in: in}
	go func() {
		for step := range t.typed {
			if step.Do != nil {
				step.Do()
			}
			if _, err := io.WriteString(keys, step.Type); err != nil {
				return
			}
		}
	}()
	return t
}

// Read is what the person types.
func (t *Terminal) Read(p []byte) (int, error) { return t.in.Read(p) }

// Close ends the input, as Ctrl-D does.
func (t *Terminal) Close() error { return t.in.CloseWithError(io.EOF) }

// Write shows something on the screen.
func (t *Terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.screen.Write(p)
	for len(t.steps) > 0 {
		unread := t.screen.String()[t.read:]
		at := strings.Index(unread, t.steps[0].See)
		if at < 0 {
			break
		}
		t.read += at + len(t.steps[0].See)
		t.typed <- t.steps[0]
		t.steps = t.steps[1:]
	}
	return len(p), nil
}

// Screen is all that was shown.
func (t *Terminal) Screen() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.String()
}

// Lines collects what a session tells.
type Lines struct {
	// On is called with every line, if given.
	On func(string)

	mu    sync.Mutex
	lines []string
}

// Tell takes a line.
func (l *Lines) Tell(line string) {
	l.mu.Lock()
	l.lines = append(l.lines, line)
	l.mu.Unlock()
	if l.On != nil {
		l.On(line)
	}
}

// Text is all lines.
func (l *Lines) Text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}
