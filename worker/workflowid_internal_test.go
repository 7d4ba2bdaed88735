package worker

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

func TestTheWorkflowIDFitsAHeader(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"workflow:order 7/a~": "workflow:order 7/a~",
		"workflow:zażółć":     "workflow:za%C5%BC%C3%B3%C5%82%C4%87",
		"workflow:a\nb":       "workflow:a%0Ab",
		"workflow:\xff":       "workflow:%FF",
		"workflow:\x7f":       "workflow:%7F",
	} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "other", "kept", resourceHeader, id)
		err := escapeHeader(ctx, "", nil, nil, nil, func(ctx context.Context, _ string, _, _ any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
			sent, _ := metadata.FromOutgoingContext(ctx)
			require.Equal(t, metadata.Pairs("other", "kept", resourceHeader, want), sent)
			return nil
		})
		require.NoError(t, err)
	}
}
