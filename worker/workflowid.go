package worker

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// resourceHeader is where the SDK puts the workflow id of every request.
const resourceHeader = "temporal-resource-id"

// AnyWorkflowID makes a connection fit for workflow ids that are not printable
// ASCII: the SDK puts them into a header as they are, and gRPC then refuses
// the request. Dial does it by itself; a client that is made otherwise, such
// as one for WithClient, needs it before it is dialled. Call it last.
func AnyWorkflowID(options *client.Options) {
	// These run after the SDK's own interceptors.
	options.ConnectionOptions.DialOptions = append(
		slices.Clone(options.ConnectionOptions.DialOptions), grpc.WithChainUnaryInterceptor(escapeHeader))
}

func escapeHeader(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoker grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	if sent, ok := metadata.FromOutgoingContext(ctx); ok { // a copy
		values := sent.Get(resourceHeader)
		if slices.ContainsFunc(values, unprintable) {
			escaped := make([]string, len(values))
			for i, value := range values {
				escaped[i] = value
				if unprintable(value) {
					escaped[i] = url.PathEscape(value)
				}
			}
			sent.Set(resourceHeader, escaped...)
			ctx = metadata.NewOutgoingContext(ctx, sent)
		}
	}
	return invoker(ctx, method, req, reply, cc, opts...)
}

// unprintable tells whether gRPC refuses a value of a header.
func unprintable(value string) bool {
	return strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' })
}
