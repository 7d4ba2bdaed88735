package prompt

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"sync"
)

// lines hands what a person types to whoever asked last. A read of a terminal
// cannot be interrupted, so one goroutine reads for as long as the process
// lives, and questions come and go.
type lines struct {
	out io.Writer

	mu      sync.Mutex
	waiting []*waiter
	// held is what was typed while nobody waited.
	held []string
	// closed: no more lines will come.
	closed bool
}

// waiter is an open question and where its line goes.
type waiter struct {
	prompt string
	answer chan string
	closed chan struct{}
}

// eraseLine takes the open question off the screen.
const eraseLine = "\r\x1b[K"

func readLines(in io.Reader, out io.Writer) *lines {
	l := &lines{out: out}
	go l.read(in)
	return l
}

func (l *lines) read(in io.Reader) {
	reader := bufio.NewReader(in)
	for {
		line, err := reader.ReadString('\n')
		if line != "" {
			l.deliver(line)
		}
		if err != nil {
			l.close()
			return
		}
	}
}

func (l *lines) deliver(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.held = append(l.held, line)
		return
	}
	w := l.waiting[len(l.waiting)-1]
	l.waiting = l.waiting[:len(l.waiting)-1]
	w.answer <- line
}

func (l *lines) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for _, w := range l.waiting {
		close(w.closed)
	}
	l.waiting = nil
}

// fresh forgets what was typed before a question was there to read.
func (l *lines) fresh() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = nil
}

// next shows a prompt and waits for a line. Of two that wait, the later one
// gets it; the other is asked again after that. The error is io.EOF when no
// more lines come, or why ctx ended.
func (l *lines) next(ctx context.Context, prompt string) (string, error) {
	w := &waiter{prompt: prompt, answer: make(chan string, 1), closed: make(chan struct{})}
	l.mu.Lock()
	switch {
	case len(l.held) > 0:
		line := l.held[0]
		l.held = l.held[1:]
		l.mu.Unlock()
		return line, nil
	case l.closed:
		l.mu.Unlock()
		return "", io.EOF
	}
	l.waiting = append(l.waiting, w)
	l.show(prompt)
	l.mu.Unlock()
	defer l.leave(w)
	select {
	case line := <-w.answer:
		return line, nil
	case <-w.closed:
		return "", io.EOF
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// leave forgets a question and brings back the one that it had covered.
func (l *lines) leave(w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.waiting {
		if other == w {
			top := i == len(l.waiting)-1
			l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
			if top {
				l.show("\n")
			}
			break
		}
	}
	if n := len(l.waiting); n > 0 {
		l.show(l.waiting[n-1].prompt)
	}
}

// say writes whole lines and shows the open question again below them.
func (l *lines) say(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.waiting)
	if n > 0 {
		text = eraseLine + text
	}
	l.show(text + "\n")
	if n > 0 {
		l.show(l.waiting[n-1].prompt)
	}
}

// show writes to the terminal. If that is gone, nobody is there to be told.
func (l *lines) show(text string) { _, _ = fmt.Fprint(l.out, text) }
