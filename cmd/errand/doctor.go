package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/api/workflowservice/v1"
	"go.uber.org/zap"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/shell"
	"errand/cmd/errand/show"
	"errand/starter"
	"errand/worker"
	"errand/workflows/contract"
)

const doctorHelp = `Check what runs need: Temporal and its namespace, workers on the task queue, the
servers of models and their keys, the search provider, every configured MCP
server, and the folders of files and skills. It says what is wrong and what to do about it.

It looks from this machine, with the configuration that "{errand} worker" would
use here. It starts nothing and spends no tokens; a search provider is asked one
query. It exits with 1 if something does not work.`

func (a *app) doctorCommand() *cobra.Command {
	asJSON := false
	command := &cobra.Command{
		Use:     "doctor",
		Short:   "Check what runs need, and say what is wrong",
		Long:    doctorHelp,
		Example: "  {errand} doctor",
		Args:    wants(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.alsoJSON(asJSON)
			findings := a.checkAll(cmd.Context())
			if err := a.showFindings(findings); err != nil {
				return err
			}
			faults := 0
			for _, f := range findings {
				if f.State == worker.StateFault {
					faults++
				}
			}
			if faults > 0 {
				return &checksFailedError{faults}
			}
			return nil
		},
	}
	command.Flags().BoolVar(&asJSON, "json", false, "the same as -o json")
	return command
}

// checksFailedError is a checkup that found something which does not work.
type checksFailedError struct{ faults int }

func (e *checksFailedError) Error() string {
	if e.faults == 1 {
		return "1 check failed"
	}
	return fmt.Sprintf("%d checks failed", e.faults)
}

// checkAll makes every check, whatever the others say.
func (a *app) checkAll(ctx context.Context) []worker.Finding {
	b := thisBuild()
	findings := []worker.Finding{{
		Check: "errand", State: worker.StateOK,
		Message: fmt.Sprintf("version %s, %s, %s, Temporal SDK %s", b.Version, b.Go, b.Platform, b.SDK),
	}}
	config, err := a.workerConfig(worker.Log{})
	if err == nil {
		findings = append(findings, a.checkTemporal(ctx, config.Temporal.TaskQueue)...)
		model := a.settings().Getenv("ERRAND_MODEL")
		if model == "" {
			model = defaultModel
		}
		return append(findings, worker.Checkup(ctx, config, model)...)
	}
	findings = append(findings, a.checkTemporal(ctx, a.settings().Queue())...)
	var wrong *worker.Error
	if !errors.As(err, &wrong) {
		return append(findings, worker.Finding{Check: "configuration", State: worker.StateFault, Message: a.explain(err).Message})
	}
	for _, fault := range wrong.Faults {
		findings = append(findings, worker.Finding{Check: "configuration", State: worker.StateFault, Message: fault.String()})
	}
	return append(findings, worker.Finding{
		Check: "configuration", State: worker.StateWarning, Message: "model servers, search and folders were not checked",
		Fix: "correct the configuration, then run this again",
	})
}

func (a *app) showFindings(findings []worker.Finding) error {
	if a.json() {
		return a.document(map[string][]worker.Finding{"findings": findings})
	}
	paint := a.paint(a.std.outTerminal)
	var rows [][]show.Cell
	for _, f := range findings {
		text := show.Line(f.Message)
		if f.Subject != "" {
			text = show.Line(f.Subject) + ": " + text
		}
		rows = append(rows, []show.Cell{{Text: string(f.State), Paint: stateIn(paint, f.State)}, {Text: f.Check}, {Text: text}})
		if f.Fix != "" {
			rows = append(rows, []show.Cell{{Text: "         → " + show.Line(f.Fix), Paint: paint.Dim}})
		}
	}
	return show.Table(a.std.out, rows)
}

func stateIn(paint show.Paint, state worker.State) func(string) string {
	switch state {
	case worker.StateOK:
		return paint.Good
	case worker.StateWarning:
		return paint.Wait
	case worker.StateFault:
		return paint.Bad
	case worker.StateOff:
		return paint.Dim
	}
	return nil
}

// checkTemporal looks at the server, the namespace and the task queue.
func (a *app) checkTemporal(ctx context.Context, queue string) []worker.Finding {
	options, err := a.settings().Options()
	if err != nil {
		return []worker.Finding{{Check: "temporal", State: worker.StateFault, Message: err.Error()}}
	}
	connected, err := a.dial(ctx, options, zap.NewNop())
	if err != nil {
		return []worker.Finding{a.failing("temporal", options.HostPort, err)}
	}
	defer connected.Close()
	c := &connect.Connection{Client: connected, Address: options.HostPort, Namespace: options.Namespace, Queue: queue}
	findings := []worker.Finding{a.checkServer(ctx, c)}
	namespace := a.checkNamespace(ctx, c)
	findings = append(findings, namespace)
	if namespace.State == worker.StateFault {
		return findings
	}
	return append(findings, a.checkQueue(ctx, c), a.checkAttributes(ctx, c))
}

// failing is a finding about an error, whose text says what to do.
func (a *app) failing(check, subject string, err error) worker.Finding {
	return worker.Finding{Check: check, Subject: subject, State: worker.StateFault, Message: a.explain(err).Message}
}

func (a *app) checkServer(ctx context.Context, c *connect.Connection) worker.Finding {
	limited, cancel := context.WithTimeout(ctx, connect.CallLimit)
	defer cancel()
	info, err := c.Client.WorkflowService().GetSystemInfo(limited, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return a.failing("temporal", c.Address, err)
	}
	version := info.GetServerVersion()
	if version == "" {
		version = "(it does not say its version)"
	}
	return worker.Finding{Check: "temporal", Subject: c.Address, State: worker.StateOK, Message: "it answers, Temporal " + version}
}

func (a *app) checkNamespace(ctx context.Context, c *connect.Connection) worker.Finding {
	limited, cancel := context.WithTimeout(ctx, connect.CallLimit)
	defer cancel()
	found, err := c.Client.WorkflowService().DescribeNamespace(limited, &workflowservice.DescribeNamespaceRequest{Namespace: c.Namespace})
	if err != nil {
		return a.failing("namespace", c.Namespace, err)
	}
	f := worker.Finding{Check: "namespace", Subject: c.Namespace, State: worker.StateOK, Message: "it is there"}
	if kept := found.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(); kept > 0 {
		f.Message += fmt.Sprintf("; runs that have ended are kept for %s", days(kept))
	}
	return f
}

// checkAttributes looks for the search attributes of runs, which they can do
// without.
func (a *app) checkAttributes(ctx context.Context, c *connect.Connection) worker.Finding {
	const subject = contract.AttributeStatus + ", " + contract.AttributePending
	registered, err := starter.New(c.Client, starter.TaskQueue(c.Queue)).Searchable(ctx)
	switch {
	case err != nil:
		return a.failing("attributes", subject, err)
	case registered:
		return worker.Finding{Check: "attributes", Subject: subject, State: worker.StateOK, Message: "they are registered"}
	}
	return worker.Finding{
		Check: "attributes", Subject: subject, State: worker.StateOff,
		Message: "they are not registered: runs work without, but what waits for a client is found by asking every run",
		Fix: fmt.Sprintf("temporal operator search-attribute create --namespace %s --name %s --type Keyword --name %s --type Int",
			shell.Quote(c.Namespace), contract.AttributeStatus, contract.AttributePending),
	}
}

// days words how long runs are kept.
func days(d time.Duration) string {
	if n := int(d / (24 * time.Hour)); n > 0 && d%(24*time.Hour) == 0 {
		if n == 1 {
			return "1 day"
		}
		return fmt.Sprintf("%d days", n)
	}
	return d.String()
}

func (a *app) checkQueue(ctx context.Context, c *connect.Connection) worker.Finding {
	live, err := c.Pollers(ctx)
	if err != nil {
		return a.failing("workers", "task queue "+c.Queue, err)
	}
	f := worker.Finding{Check: "workers", Subject: "task queue " + c.Queue, State: worker.StateOK}
	switch len(live) {
	case 0:
		f.State, f.Message = worker.StateWarning, "no worker waits for runs: they would stand still"
		f.Fix = fmt.Sprintf("start one with %q", a.usage("worker"))
	case 1:
		f.Message = "1 worker waits for runs: " + shell.Quote(live[0])
	default:
		f.Message = fmt.Sprintf("%d workers wait for runs", len(live))
	}
	return f
}
