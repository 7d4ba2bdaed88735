package main

import (
	"encoding/json"
	"fmt"
	"io"

	"errand/cmd/errand/show"
	"errand/tools"
)

// report tells an error on standard error and returns its exit code.
func (a *app) report(err error) int {
	p := a.explain(err)
	if a.json() {
		if p.Faults == nil {
			p.Faults = tools.Faults{}
		}
		_ = writeJSON(a.std.err, struct {
			Error problem `json:"error"`
		}{p})
		return p.code
	}
	paint := a.paint(a.std.errTerminal)
	mark := paint.Bad(a.name + ":")
	if p.code == exitDetached {
		mark = a.name + ":"
	}
	message := show.Block(p.Message)
	if len(p.Faults) > 0 {
		message += ":"
	}
	_, _ = fmt.Fprintf(a.std.err, "%s %s\n", mark, message)
	for _, fault := range p.Faults {
		_, _ = fmt.Fprintf(a.std.err, "  %s\n", show.Line(fault.String()))
	}
	return p.code
}

// notice tells something that is no error on standard error. Several
// goroutines do.
func (a *app) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.noticing.Lock()
	defer a.noticing.Unlock()
	if a.json() {
		_ = writeJSON(a.std.err, struct {
			Notice struct {
				Message string `json:"message"`
			} `json:"notice"`
		}{struct {
			Message string `json:"message"`
		}{text}})
		return
	}
	_, _ = fmt.Fprintln(a.std.err, text)
}

// print writes to standard output. A reader that has gone, as head does, is an
// error like any other.
func (a *app) print(format string, args ...any) error {
	_, err := fmt.Fprintf(a.std.out, format, args...)
	return err
}

// document writes v as one line of JSON to standard output.
func (a *app) document(v any) error { return writeJSON(a.std.out, v) }

func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}
