package worker_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.uber.org/zap"
	"google.golang.org/grpc/metadata"

	"errand/worker"
)

func (s *server) DescribeWorkflowExecution(ctx context.Context, _ *workflowservice.DescribeWorkflowExecutionRequest) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	s.resources = metadata.ValueFromIncomingContext(ctx, "temporal-resource-id")
	return &workflowservice.DescribeWorkflowExecutionResponse{}, nil
}

func TestAConnectionTakesAnyWorkflowID(t *testing.T) {
	s := &server{}
	serve(t, s)
	connected, err := worker.Dial(t.Context(), zap.NewNop())
	require.NoError(t, err)
	defer connected.Close()
	_, err = connected.WorkflowService().DescribeWorkflowExecution(t.Context(), &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: "default", Execution: &commonpb.WorkflowExecution{WorkflowId: "zażółć"},
	})
	require.NoError(t, err)
	require.Equal(t, []string{"workflow:za%C5%BC%C3%B3%C5%82%C4%87"}, s.resources)
}
