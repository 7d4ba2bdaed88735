package devserver

import (
	"context"
	"log/slog"
	"net"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
)

// answerLimit bounds one look at a server.
const answerLimit = time.Second

// Answering tells whether a Temporal server answers at address (host:port)
// within a second.
func Answering(ctx context.Context, address string) bool {
	return ask(ctx, address, "") == nil
}

// ask fails unless a Temporal server answers at address and, if one is named,
// knows the namespace.
func ask(ctx context.Context, address, namespace string) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	// A bare connection first: a gRPC client that met a closed port waits a
	// second before it tries again.
	if err := reach(ctx, address); err != nil {
		return err
	}
	temporal, err := client.DialContext(ctx, client.Options{
		HostPort: address,
		Logger:   log.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err != nil {
		return err
	}
	defer temporal.Close()
	if namespace == "" {
		return nil
	}
	_, err = temporal.WorkflowService().DescribeNamespace(ctx,
		&workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	return err
}

// reach fails if nothing accepts connections at address.
func reach(ctx context.Context, address string) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return connection.Close()
}
