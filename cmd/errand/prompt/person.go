// Package prompt stays with a run at the terminal: it shows what happens, has
// a person or a program answer calls and approvals, and asks what a Ctrl-C
// means. The commands run and attach are its callers.
package prompt

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"errand/cmd/errand/show"
)

// Person is somebody at a terminal. Calls and approvals are asked one at a
// time; Stop comes before them.
type Person struct {
	lines *lines
	paint show.Paint
	// turn is held while a question is open.
	turn      chan struct{}
	explained sync.Once
}

// NewPerson reads what a person types from in and writes questions to out.
func NewPerson(in io.Reader, out io.Writer, paint show.Paint) *Person {
	return &Person{lines: readLines(in, out), paint: paint, turn: make(chan struct{}, 1)}
}

// Say writes a line without disturbing the open question.
func (p *Person) Say(line string) { p.lines.say(line) }

// Call is a call to answer: its lines are shown above the question.
type Call struct {
	Tool, ID, Arguments string
}

// Reply is what the person answered.
type Reply struct {
	Text    string
	IsError bool
}

// Answer asks for the answer to a call until there is one. The error is io.EOF
// when the person closed the input, or why ctx ended.
func (p *Person) Answer(ctx context.Context, call Call) (Reply, error) {
	leave, err := p.enter(ctx)
	if err != nil {
		return Reply{}, err
	}
	defer leave()
	p.Say(p.paint.Wait("? ") + p.paint.Name(call.Tool) + p.paint.Dim(" ("+call.ID+")") + " asks you:\n" + show.Indent(call.Arguments))
	p.explained.Do(func() {
		p.Say(p.paint.Dim(`  Type the answer and Enter. A \ at the end of a line goes on in the next; !text answers with an error.`))
	})
	for {
		text, err := p.paragraph(ctx, "answer> ")
		if err != nil {
			return Reply{}, err
		}
		reply := read(text)
		if reply.Text != "" {
			return reply, nil
		}
	}
}

// paragraph reads lines as long as they end in a backslash.
func (p *Person) paragraph(ctx context.Context, prompt string) (string, error) {
	var all []string
	for {
		line, err := p.lines.next(ctx, prompt)
		if err != nil {
			return "", err
		}
		line = strings.TrimRight(line, "\r\n")
		more, goesOn := strings.CutSuffix(line, `\`)
		all = append(all, more)
		if !goesOn {
			return strings.Join(all, "\n"), nil
		}
		prompt = "      > "
	}
}

// read tells an error, which begins with !, from an answer. \! begins an
// answer with a !.
func read(text string) Reply {
	text = strings.TrimSpace(text)
	if message, failed := strings.CutPrefix(text, "!"); failed {
		return Reply{Text: strings.TrimSpace(message), IsError: true}
	}
	if strings.HasPrefix(text, `\!`) {
		text = text[1:]
	}
	return Reply{Text: text}
}

// enter waits for the turn to ask. What was typed before the question is no
// answer to it.
func (p *Person) enter(ctx context.Context) (leave func(), err error) {
	select {
	case p.turn <- struct{}{}:
		p.lines.fresh()
		return func() { <-p.turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Decision is an answer to an approval request.
type Decision struct {
	Approve bool
	Reason  string
}

// Approve asks whether a call may run. Whoever says no is asked why; the model
// reads it.
func (p *Person) Approve(ctx context.Context, call Call, why string) (Decision, error) {
	leave, err := p.enter(ctx)
	if err != nil {
		return Decision{}, err
	}
	defer leave()
	if why != "" {
		why = ": " + why
	}
	p.Say(p.paint.Wait("? ") + p.paint.Name(call.Tool) + p.paint.Dim(" ("+call.ID+")") + " wants approval" + why + "\n" + show.Indent(call.Arguments))
	for {
		line, err := p.lines.next(ctx, "approve? [y/n] ")
		if err != nil {
			return Decision{}, err
		}
		switch word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); strings.ToLower(word) {
		case "y", "yes":
			return Decision{Approve: true, Reason: strings.TrimSpace(rest)}, nil
		case "n", "no":
			return p.denial(ctx, strings.TrimSpace(rest))
		}
	}
}

func (p *Person) denial(ctx context.Context, reason string) (Decision, error) {
	if reason != "" {
		return Decision{Reason: reason}, nil
	}
	line, err := p.lines.next(ctx, "reason (Enter for none)> ")
	if err != nil {
		return Decision{}, err
	}
	return Decision{Reason: strings.TrimSpace(line)}, nil
}

// Choice is what to do with a run that was interrupted.
type Choice int

const (
	// GoOn keeps watching the run.
	GoOn Choice = iota
	// Detach leaves the run alone; it goes on.
	Detach
	// Cancel ends the run.
	Cancel
)

// Stop asks what a Ctrl-C means. It does not wait for its turn: the question
// that is open comes back after it.
func (p *Person) Stop(ctx context.Context, runID string) (Choice, error) {
	p.lines.fresh()
	for {
		line, err := p.lines.next(ctx, fmt.Sprintf("\n%s goes on. [d]etach, [c]ancel it, or Enter to keep watching: ", runID))
		if err != nil {
			return Detach, err
		}
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "":
			return GoOn, nil
		case "d", "detach":
			return Detach, nil
		case "c", "cancel":
			return Cancel, nil
		}
	}
}
