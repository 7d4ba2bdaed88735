package worker_test

import (
	"context"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
)

// server answers like a Temporal server that has nothing to do.
type server struct {
	workflowservice.UnimplementedWorkflowServiceServer
	// polled closes when a worker asks for activities.
	polled chan struct{}
	once   sync.Once
	// stopped receives when a worker says that it stops.
	stopped chan struct{}
	// describe, when set, refuses the namespace.
	describe error
	// resources are the headers that named the last workflow described.
	resources []string
}

// serve starts s and points TEMPORAL_ADDRESS at it.
func serve(t *testing.T, s *server) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.polled, s.stopped = make(chan struct{}), make(chan struct{}, 8)
	grpcServer := grpc.NewServer()
	workflowservice.RegisterWorkflowServiceServer(grpcServer, s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		// It returns an error only when Stop has closed the listener first.
		_ = grpcServer.Serve(listener)
	}()
	t.Cleanup(func() { grpcServer.Stop(); <-done })
	pointAt(t, listener.Addr().String())
}

func pointAt(t *testing.T, address string) {
	t.Helper()
	t.Setenv("TEMPORAL_CONFIG_FILE", filepath.Join(t.TempDir(), "none.toml"))
	t.Setenv("TEMPORAL_ADDRESS", address)
}

func (s *server) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, nil
}

func (s *server) DescribeNamespace(context.Context, *workflowservice.DescribeNamespaceRequest) (*workflowservice.DescribeNamespaceResponse, error) {
	if s.describe != nil {
		return nil, serviceerror.ToStatus(s.describe).Err()
	}
	return &workflowservice.DescribeNamespaceResponse{}, nil
}

func (s *server) PollWorkflowTaskQueue(ctx context.Context, _ *workflowservice.PollWorkflowTaskQueueRequest) (*workflowservice.PollWorkflowTaskQueueResponse, error) {
	<-ctx.Done()
	return &workflowservice.PollWorkflowTaskQueueResponse{}, nil
}

func (s *server) PollActivityTaskQueue(ctx context.Context, _ *workflowservice.PollActivityTaskQueueRequest) (*workflowservice.PollActivityTaskQueueResponse, error) {
	s.once.Do(func() { close(s.polled) })
	<-ctx.Done()
	return &workflowservice.PollActivityTaskQueueResponse{}, nil
}

func (s *server) ShutdownWorker(context.Context, *workflowservice.ShutdownWorkerRequest) (*workflowservice.ShutdownWorkerResponse, error) {
	s.stopped <- struct{}{}
	return &workflowservice.ShutdownWorkerResponse{}, nil
}
