package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"errand/cmd/errand/program"
	"errand/starter"
	"errand/tools"
)

// defaultModel is asked when neither the command line nor ERRAND_MODEL names
// one.
const defaultModel = "gpt-5-mini"

// requestFlags say what to run.
type requestFlags struct {
	file         string
	model        string
	instructions string
	tools        []string
	// timeout and onTimeout are those of the client; empty keeps the request's.
	timeout   string
	onTimeout string
}

// request is the JSON of the request: built from a prompt, or read from a file
// with the flags written over it.
func (a *app) request(f requestFlags, words []string, programs program.Set) (json.RawMessage, error) {
	switch {
	case f.file != "" && len(words) > 0:
		return nil, badUsage("a prompt and --file were given: put the prompt into the file's input, or leave --file out")
	case f.file != "":
		return a.fileRequest(f, programs)
	}
	prompt, err := a.prompt(words)
	if err != nil {
		return nil, err
	}
	model := f.model
	if model == "" {
		model = a.settings().Getenv("ERRAND_MODEL")
	}
	if model == "" {
		model = defaultModel
	}
	request := starter.Request{Model: model, Instructions: f.instructions, Input: prompt}
	for _, name := range f.tools {
		request.Tools = append(request.Tools, starter.Platform(name))
	}
	for _, name := range programs.Names() {
		request.Tools = append(request.Tools, starter.Function(name, "", nil))
	}
	raw, err := json.Marshal(request)
	if err != nil || !f.timeouts() {
		return raw, err
	}
	fields, _ := tools.Object(raw)
	f.writeTimeouts(fields)
	return json.Marshal(fields)
}

// timeouts tells whether a flag changes how long a client is waited for.
func (f requestFlags) timeouts() bool { return f.timeout != "" || f.onTimeout != "" }

// writeTimeouts puts the flags into the object run. What is wrong with that is
// found when the request is checked.
func (f requestFlags) writeTimeouts(fields map[string]json.RawMessage) {
	run, ok := tools.Object(fields["run"])
	switch given := string(fields["run"]); {
	case ok:
	case given == "" || given == "null":
		run = map[string]json.RawMessage{}
	default:
		return
	}
	for name, value := range map[string]string{"client_timeout": f.timeout, "on_client_timeout": f.onTimeout} {
		if value != "" {
			run[name] = quoted(value)
		}
	}
	raw, err := json.Marshal(run)
	if err != nil { // what was decoded encodes
		panic(err)
	}
	fields["run"] = raw
}

// prompt joins the words of the command line, or reads standard input for "-".
func (a *app) prompt(words []string) (string, error) {
	prompt := strings.Join(words, " ")
	if prompt == "-" {
		text, err := io.ReadAll(a.std.in)
		if err != nil {
			return "", fmt.Errorf("read the prompt from standard input: %w", err)
		}
		prompt = strings.TrimRight(string(text), "\r\n")
	}
	if strings.TrimSpace(prompt) == "" {
		return "", badUsage("no prompt: write what to do, - to read it from standard input, or --file request.json")
	}
	return prompt, nil
}

// fileRequest reads a request and changes only what flags name.
func (a *app) fileRequest(f requestFlags, programs program.Set) (json.RawMessage, error) {
	raw, err := a.read(f.file)
	if err != nil {
		return nil, err
	}
	fields, ok := tools.Object(raw)
	if !ok {
		return nil, &starter.InvalidRequestError{Faults: tools.Faults{{Message: notObject(sourceName(f.file), raw)}}}
	}
	if f.model != "" {
		fields["model"] = quoted(f.model)
	}
	if f.instructions != "" {
		fields["instructions"] = quoted(f.instructions)
	}
	if err := addTools(fields, f.tools); err != nil {
		return nil, err
	}
	if err := programs.DeclaredIn(sourceName(f.file), fields); err != nil {
		return nil, badUsage("%w", err)
	}
	if f.timeouts() {
		f.writeTimeouts(fields)
	}
	if f.model == "" && f.instructions == "" && len(f.tools) == 0 && !f.timeouts() {
		return raw, nil
	}
	return json.Marshal(fields)
}

// notObject says why a text is no JSON object, and where it stops being JSON.
func notObject(source string, raw []byte) string {
	message := source + " must hold one JSON object"
	var value any
	var syntax *json.SyntaxError
	if !errors.As(json.Unmarshal(raw, &value), &syntax) {
		return message
	}
	at := int(syntax.Offset)
	if !strings.HasPrefix(syntax.Error(), "unexpected end") {
		at-- // it counts the offending byte
	}
	read := raw[:max(0, min(at, len(raw)))]
	begin := bytes.LastIndexByte(read, '\n') + 1
	return fmt.Sprintf("%s: line %d, column %d: %s", message,
		bytes.Count(read, []byte("\n"))+1, utf8.RuneCount(read[begin:])+1, syntax)
}

// addTools declares platform tools after those of the request.
func addTools(fields map[string]json.RawMessage, names []string) error {
	if len(names) == 0 {
		return nil
	}
	var all []json.RawMessage
	if given := fields["tools"]; len(given) > 0 && json.Unmarshal(given, &all) != nil {
		return nil // what is wrong with it is found when the request is checked
	}
	for _, name := range names {
		declaration, err := json.Marshal(starter.Platform(name))
		if err != nil {
			return err
		}
		all = append(all, declaration)
	}
	joined, err := json.Marshal(all)
	fields["tools"] = joined
	return err
}

// read is a file, or standard input for "-".
func (a *app) read(path string) ([]byte, error) {
	if path == "-" {
		text, err := io.ReadAll(io.LimitReader(a.std.in, readLimit))
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		return text, nil
	}
	text, err := os.ReadFile(path) //nolint:gosec // the person names the file
	if err != nil {
		return nil, badUsage("%w", err)
	}
	return text, nil
}

// sourceName is what a message calls a file.
func sourceName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// readLimit is above everything that a run takes; more would only be refused
// later.
const readLimit = 24 << 20

func quoted(text string) json.RawMessage {
	raw, err := json.Marshal(text)
	if err != nil { // a string always encodes
		panic(err)
	}
	return raw
}

// parsePrograms reads the values of --exec.
func parsePrograms(values []string) (program.Set, error) {
	all, err := program.Parse(values)
	if err != nil {
		return nil, badUsage("%w", err)
	}
	return all, nil
}
