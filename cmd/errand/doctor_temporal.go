package main

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.uber.org/zap"

	"errand/cmd/errand/words"
	"errand/starter"
	"errand/worker"
	"errand/workflows/contract"
)

// examineTemporal looks at the server, the namespace and the task queue.
func (a *app) examineTemporal(ctx context.Context, queue string) []worker.Finding {
	options, err := a.clientOptions()
	if err != nil {
		return []worker.Finding{{Check: "temporal", State: worker.StateFault, Message: err.Error()}}
	}
	connected, err := a.dial(ctx, options, zap.NewNop())
	if err != nil {
		return []worker.Finding{a.failing("temporal", options.HostPort, err)}
	}
	defer connected.Close()
	c := &connection{client: connected, address: options.HostPort, namespace: options.Namespace, queue: queue}
	findings := []worker.Finding{a.examineServer(ctx, c)}
	namespace := a.examineNamespace(ctx, c)
	findings = append(findings, namespace)
	if namespace.State == worker.StateFault {
		return findings
	}
	return append(findings, a.examineQueue(ctx, c), a.examineAttributes(ctx, c))
}

// failing is a finding about an error, whose text says what to do.
func (a *app) failing(check, subject string, err error) worker.Finding {
	return worker.Finding{Check: check, Subject: subject, State: worker.StateFault, Message: a.explain(err).Message}
}

func (a *app) examineServer(ctx context.Context, c *connection) worker.Finding {
	limited, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	info, err := c.client.WorkflowService().GetSystemInfo(limited, &workflowservice.GetSystemInfoRequest{})
	if err != nil {
		return a.failing("temporal", c.address, err)
	}
	version := info.GetServerVersion()
	if version == "" {
		version = "(it does not say its version)"
	}
	return worker.Finding{Check: "temporal", Subject: c.address, State: worker.StateOK, Message: "it answers, Temporal " + version}
}

func (a *app) examineNamespace(ctx context.Context, c *connection) worker.Finding {
	limited, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	found, err := c.client.WorkflowService().DescribeNamespace(limited, &workflowservice.DescribeNamespaceRequest{Namespace: c.namespace})
	if err != nil {
		return a.failing("namespace", c.namespace, err)
	}
	f := worker.Finding{Check: "namespace", Subject: c.namespace, State: worker.StateOK, Message: "it is there"}
	if kept := found.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(); kept > 0 {
		f.Message += fmt.Sprintf("; runs that have ended are kept for %s", days(kept))
	}
	return f
}

// examineAttributes looks for the search attributes of runs, which they can do
// without.
func (a *app) examineAttributes(ctx context.Context, c *connection) worker.Finding {
	const subject = contract.AttributeStatus + ", " + contract.AttributePending
	registered, err := starter.New(c.client, starter.TaskQueue(c.queue)).Searchable(ctx)
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
			words.Quote(c.namespace), contract.AttributeStatus, contract.AttributePending),
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

func (a *app) examineQueue(ctx context.Context, c *connection) worker.Finding {
	live, err := c.pollers(ctx)
	if err != nil {
		return a.failing("workers", "task queue "+c.queue, err)
	}
	f := worker.Finding{Check: "workers", Subject: "task queue " + c.queue, State: worker.StateOK}
	switch len(live) {
	case 0:
		f.State, f.Message = worker.StateWarning, "no worker waits for runs: they would stand still"
		f.Fix = fmt.Sprintf("start one with %q", a.usage("worker"))
	case 1:
		f.Message = "1 worker waits for runs: " + words.Quote(live[0])
	default:
		f.Message = fmt.Sprintf("%d workers wait for runs", len(live))
	}
	return f
}
