package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/diagnose"
	"errand/cmd/errand/prompt"
	"errand/starter"
	"errand/tools"
	"errand/worker"
	"errand/workflows/contract"
)

// outcome is what one command line did.
type outcome struct {
	code     int
	out, err string
}

// call runs a command line as a script would: no terminal, and only the
// variables given.
func call(t *testing.T, name string, environ []string, stdin string, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	a := newApp(name)
	a.environ = environ
	a.std = streams{in: strings.NewReader(stdin), out: &out, err: &err}
	code := a.execute(t.Context(), args)
	return outcome{code, out.String(), err.String()}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func TestEveryErrorHasItsExitCodeAndType(t *testing.T) {
	t.Parallel()
	ended := func(status contract.Status) error {
		return fmt.Errorf("wrapped: %w", &endError{&contract.Result{ID: "run_1", Status: status}})
	}
	failed := func(code string, faults tools.Faults) error {
		return &endError{&contract.Result{ID: "run_1", Status: contract.Failed, Error: &contract.RunError{Code: code, Message: "why", Faults: faults}}}
	}
	for name, one := range map[string]struct {
		err     error
		code    int
		kind    string
		message string
	}{
		"completed":          {endOf(&contract.Result{Status: contract.Completed}), exitOK, "", ""},
		"usage":              {badUsage("unknown flag: --x"), exitUsage, "Usage", `unknown flag: --x; see "errand --help"`},
		"invalid request":    {&starter.InvalidRequestError{Faults: tools.Faults{{Path: "model", Message: "required"}}}, exitUsage, "InvalidRequest", "the request has 1 fault"},
		"large request":      {&starter.TooLargeError{What: "request", Size: 9, Limit: 8}, exitUsage, "LimitExceeded", "request too large: 9 bytes, at most 8 are taken"},
		"configuration":      {&worker.Error{Subject: "the configuration", Faults: tools.Faults{{}, {}}}, exitFailed, "InvalidConfiguration", "the configuration has 2 faults"},
		"incomplete":         {ended(contract.Incomplete), exitIncomplete, "Incomplete", "run incomplete: no reason given"},
		"cancelled":          {ended(contract.Cancelled), exitCancelled, "Cancelled", "run cancelled"},
		"failed":             {failed("ModelRejected", nil), exitFailed, "ModelRejected", "run failed (ModelRejected): why"},
		"failed, unreadable": {ended(contract.Failed), exitFailed, "Error", "run failed; it does not say why"},
		"failed, untyped":    {failed("", nil), exitFailed, "Error", "run failed: why"},
		"refused by the run": {failed("InvalidRequest", tools.Faults{{Path: "tools[0].name", Message: "unknown"}}), exitUsage, "InvalidRequest", "the request has 1 fault"},
		"detached":           {&prompt.DetachedError{RunID: "run_1"}, exitDetached, "Detached", `run run_1 goes on without you: watch it with "errand attach run_1"`},
		"refused":            {&starter.RefusedError{Reason: "already settled"}, exitRefused, "Refused", "refused: already settled"},
		"ended":              {fmt.Errorf("run run_1: %w", starter.ErrEnded), exitRefused, "Refused", "refused: the run has ended and takes nothing more"},
		"unknown run":        {connect.About("run_1", fmt.Errorf("query status of run run_1: %w", starter.ErrNotFound)), exitUnknownRun, "UnknownRun", `no such run: run_1; list the runs with "errand ls"`},
		"another workflow":   {connect.About("x", &connect.OtherKindError{Kind: "Other"}), exitUnknownRun, "UnknownRun", `no such run: x (a workflow of type "Other" has this id); list the runs with "errand ls"`},
		"no last run":        {&connect.NoRunsError{Queue: "errand"}, exitUnknownRun, "UnknownRun", `task queue "errand" has had no runs: start one with "errand run"`},
		"id taken":           {connect.About("a b", fmt.Errorf("run a b: %w", starter.ErrAlreadyStarted)), exitFailed, "Error", `run a b was already started: choose another --run-id, or watch it with "errand attach 'a b'"`},
		"terminated":         {&starter.ClosedError{Status: starter.Terminated}, exitFailed, "Error", "run terminated: it was closed from outside and has no result"},
		"timed out":          {&starter.ClosedError{Status: starter.TimedOut}, exitFailed, "Error", "run timed out: it was started with an execution time-out, and has no result"},
		"unreadable end":     {&starter.ClosedError{Status: contract.Completed}, exitFailed, "Error", "run completed, but its last events cannot be read"},
		"unreachable":        {&connect.UnreachableError{Address: "h:1", Err: errors.New("refused")}, exitUnreachable, "Unreachable", `cannot reach Temporal at h:1: start one with "errand dev", or set TEMPORAL_ADDRESS`},
		"no TLS":             {&connect.UnreachableError{Address: "h:1", Err: errors.New(`desc = "transport: authentication handshake failed: tls: no certificate"`)}, exitUnreachable, "Unreachable", "cannot reach Temporal at h:1: tls: no certificate: check TEMPORAL_TLS_* and TEMPORAL_API_KEY"},
		"gone":               {fmt.Errorf("list runs: %w", serviceerror.NewUnavailable("x")), exitUnreachable, "Unreachable", `cannot reach Temporal at t:7233: start one with "errand dev", or set TEMPORAL_ADDRESS`},
		"no namespace":       {serviceerror.NewNamespaceNotFound("n"), exitUnreachable, "Unreachable", `Temporal at t:7233 has no namespace "n": set --namespace or TEMPORAL_NAMESPACE`},
		"no worker":          {fmt.Errorf("query: %w", starter.ErrNoReply), exitUnreachable, "Unreachable", `no worker replies on task queue "errand": start one with "errand worker"`},
		"stuck":              {connect.About("run_1", &diagnose.StuckError{Attempt: 7, Err: starter.ErrNoReply}), exitUnreachable, "Unreachable", "run run_1 does not reply: its workflow task fails (attempt 7): see the worker's log"},
		"no worker, late":    {fmt.Errorf("query: %w: %w", starter.ErrNoReply, context.DeadlineExceeded), exitUnreachable, "Unreachable", `no worker replies on task queue "errand": start one with "errand worker"`},
		"late":               {connect.About("run_1", fmt.Errorf("result of run run_1: %w", context.DeadlineExceeded)), exitUnreachable, "Unreachable", "Temporal at t:7233 does not answer in time: try again"},
		"not allowed":        {connect.About("run_1", fmt.Errorf("cancel run run_1: %w", serviceerror.NewPermissionDenied("no", ""))), exitFailed, "Error", "Temporal at t:7233 denies this: no: check --namespace and TEMPORAL_API_KEY"},
		"refused query":      {connect.About("run_1", fmt.Errorf("query status of run run_1: %w", serviceerror.NewQueryFailed("unknown query"))), exitFailed, "Error", "the worker cannot read run run_1: unknown query"},
		"unreadable answer":  {connect.About("run_1", errors.New("query status of run run_1: unreadable: EOF")), exitFailed, "Error", "run run_1: unreadable: EOF"},
		"other":              {errors.New("disk full"), exitFailed, "Error", "disk full"},
	} {
		if one.err == nil {
			require.Equal(t, exitOK, one.code, name)
			continue
		}
		a := &app{name: "errand", address: "t:7233"}
		p := a.explain(one.err)
		require.Equal(t, one.code, p.code, name)
		require.Equal(t, one.kind, p.Type, name)
		require.Equal(t, one.message, p.Message, name)
	}
}

func TestExitCodesAreDocumentedOnceEach(t *testing.T) {
	t.Parallel()
	got := call(t, "errand", nil, "", "help", "exit-codes")
	require.Equal(t, exitOK, got.code)
	seen := map[int]bool{}
	for _, e := range exits {
		require.False(t, seen[e.code])
		seen[e.code] = true
		require.Contains(t, got.out, fmt.Sprintf("  %3d  %s\n", e.code, e.meaning))
	}
	require.Len(t, seen, 9)
}

func TestErrorsAreOneLineAndTheirFaultsOneLineEach(t *testing.T) {
	t.Parallel()
	got := call(t, "errand", nil, `{"input":"","tools":[{"type":"function"}]}`, "run", "--file", "-", "--address", "127.0.0.1:1")
	require.Equal(t, exitUnreachable, got.code)

	var out, err bytes.Buffer
	a := &app{name: "errand", std: streams{out: &out, err: &err}}
	faults := tools.Faults{{Path: "model", Message: "required"}, {Path: "tools[0].name", Message: "has\x1b[31m a\nbreak"}}
	require.Equal(t, exitUsage, a.report(&starter.InvalidRequestError{Faults: faults}))
	require.Equal(t, "errand: the request has 2 faults:\n  model: required\n  tools[0].name: has␛[31m a break\n", err.String())
	require.Empty(t, out.String())
}

func TestErrorsAreJSONOnDemand(t *testing.T) {
	t.Parallel()
	var out, err bytes.Buffer
	a := &app{name: "errand", flags: globals{output: outputJSON}, std: streams{out: &out, err: &err}}
	faults := tools.Faults{{Path: "model", Message: "required"}}
	require.Equal(t, exitUsage, a.report(&starter.InvalidRequestError{Faults: faults}))
	require.JSONEq(t, `{"error":{"message":"the request has 1 fault","type":"InvalidRequest","faults":[{"path":"model","message":"required"}]}}`, err.String())
	require.Equal(t, 1, strings.Count(err.String(), "\n"))

	for _, args := range [][]string{
		{"show", "-o", "json"}, {"-o", "json", "bogus"}, {"ls", "--output=json", "--status", "lost"}, {"run", "--nonsense", "-o", "json"},
	} {
		got := call(t, "errand", nil, "", args...)
		require.Equal(t, exitUsage, got.code, args)
		var told struct {
			Error struct {
				Message, Type string
				Faults        []any
			}
		}
		require.NoError(t, json.Unmarshal([]byte(got.err), &told), got.err)
		require.Equal(t, "Usage", told.Error.Type)
		require.NotNil(t, told.Error.Faults)
	}
}

func TestBadUsageNamesTheFixAndPrintsNoUsage(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		`errand: unknown command "bogus" for "errand"; see "errand --help"`:                                                      {"bogus"},
		`errand: usage: errand show <run>; see "errand show --help"`:                                                             {"show"},
		`errand: unexpected argument "x"; see "errand ls --help"`:                                                                {"ls", "x"},
		`errand: --output "xml": write text or json; see "errand ls --help"`:                                                     {"ls", "-o", "xml"},
		`errand: no prompt: write what to do, - to read it from standard input, or --file request.json; see "errand run --help"`: {"run"},
		`errand: --events prints JSON lines: add -o json; see "errand run --help"`:                                               {"run", "x", "--events"},
		`errand: --exec "x": write it as name=program, for example lookup=./lookup.sh; see "errand run --help"`:                  {"run", "x", "--exec", "x"},
		`errand: --exec names the tool "a" twice: give it one program; see "errand run --help"`:                                  {"run", "x", "--exec", "a=sh", "--exec", "a=sh"},
		`errand: address "x": write host:port, for example 127.0.0.1:7233; see "errand ls --help"`:                               {"ls", "--address", "x"},
		`errand: --limit -1: must not be negative; see "errand ls --help"`:                                                       {"ls", "--limit", "-1"},
		`errand: the answer is not JSON: correct it, or leave --json out to send it as text; see "errand answer --help"`:         {"answer", "r", "{", "--json"},
		`errand: the message is empty: write a text, - for standard input, or @file; see "errand send --help"`:                   {"send", "r", " "},
		`errand: --port and --address name the same thing: give one; see "errand dev --help"`:                                    {"dev", "--port", "1", "--address", "a:1"},
		`errand: --port 0: write a port from 1 to 65535; see "errand dev --help"`:                                                {"dev", "--port", "0"},
		`errand: --ui-port 65536: write a port from 1 to 65535; see "errand dev --help"`:                                         {"dev", "--ui-port", "65536"},
		`errand: address "a:0": its port must be from 1 to 65535; see "errand ls --help"`:                                        {"ls", "--address", "a:0"},
		`errand: --log-level "loud": write debug, info, warn or error; see "errand worker --help"`:                               {"worker", "--log-level", "loud"},
	} {
		got := call(t, "errand", nil, "", args...)
		require.Equal(t, outcome{exitUsage, "", want + "\n"}, got)
	}
}

func TestAsAPluginItGoesByThePluginsName(t *testing.T) {
	t.Parallel()
	require.Equal(t, "temporal errand", nameOf("/usr/local/bin/temporal-errand"))
	require.Equal(t, "temporal errand", nameOf("temporal-errand.exe"))
	require.Equal(t, "errand", nameOf("/tmp/build/errand"))
	require.Equal(t, "errand", nameOf("main.test"))

	help := call(t, "temporal-errand", nil, "", "run", "--help")
	require.Contains(t, help.out, "Usage:\n  temporal errand run [prompt…] [flags]\n")
	require.Contains(t, help.out, "  temporal errand run --file request.json -o json\n")
	got := call(t, "temporal-errand", nil, "", "ls", "--address", "127.0.0.1:1")
	require.Equal(t, exitUnreachable, got.code)
	require.Equal(t, "temporal errand: cannot reach Temporal at 127.0.0.1:1: start one with "+
		`"temporal errand dev --address 127.0.0.1:1", or set TEMPORAL_ADDRESS`+"\n", got.err)
}

func TestEveryCommandHasAHelpTextAndAnExample(t *testing.T) {
	t.Parallel()
	a := &app{name: "temporal errand", std: streams{out: io.Discard, err: io.Discard}}
	for _, command := range a.root().Commands() {
		require.NotEmpty(t, command.Short, command.Name())
		require.NotContains(t, command.Long+command.Example, "{errand}")
		if command.Runnable() {
			require.Contains(t, command.Example, "temporal errand "+command.Name(), command.Name())
		}
	}
}

func TestColourNeedsATerminalAndNobodyAgainst(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		app      *app
		terminal bool
		want     bool
	}{
		"terminal": {app: &app{}, terminal: true, want: true},
		"pipe":     {app: &app{}},
		"flag":     {app: &app{flags: globals{noColor: true}}, terminal: true},
		"variable": {app: &app{environ: []string{"NO_COLOR=1"}}, terminal: true},
		"json":     {app: &app{flags: globals{output: outputJSON}}, terminal: true},
	} {
		require.Equal(t, one.want, one.app.paint(one.terminal).On, name)
	}
}

func TestIdsThatCannotBeMeantAreBadUsage(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--run-id last: this word stands for the newest run":      {"run", "x", "--run-id", "last"},
		"must be 1 to 200 characters of printable ASCII":          {"run", "x", "--run-id", "zamówienie"},
		"the run is empty: write its id, or last for the newest":  {"show", ""},
		"the run is empty: write its id, or last for the newest ": {"cancel", " "},
	} {
		got := call(t, "errand", []string{"TEMPORAL_ADDRESS=127.0.0.1:1", "TEMPORAL_CONFIG_FILE=/dev/null"}, "", args...)
		require.Equal(t, exitUsage, got.code, got.err)
		require.Contains(t, got.err, want)
	}
}
