package openaimodel

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3/option"

	"errand/activities/openaimodel/sse"
)

// maxReplyBytes bounds what is read of a reply, after decompression.
const maxReplyBytes = 32 << 20

// reply is what a server sent, whatever its status.
type reply struct {
	status int
	header http.Header
	body   []byte
	// stream is what was read in place of a body, or nil. The body is its last
	// event then.
	stream *stream
	// secrets must not appear in any message made from this reply.
	secrets []string
}

// post sends body once. The error is never the server's: a reply of any status
// is a reply.
func (c *Client) post(ctx context.Context, body []byte, key string) (reply, error) {
	var got *reply
	each := []option.RequestOption{option.WithMiddleware(c.keep(&got))}
	if key != "" {
		each = append(each, option.WithHeader("Idempotency-Key", headerSafe(key)))
	}
	err := c.sdk.Post(ctx, c.api.Path, body, nil, each...)
	switch {
	case got != nil:
		// The SDK's own error for a status is of no use: for some bodies it
		// has no status, for others no message.
		return *got, nil
	case ctx.Err() != nil:
		return reply{}, fmt.Errorf("ask the model: %w", ctx.Err())
	case errors.Is(err, context.DeadlineExceeded) && c.config.Timeout > 0:
		return reply{}, fmt.Errorf("ask the model: no answer within %s: %w", c.config.Timeout, err)
	}
	return reply{}, fmt.Errorf("ask the model: %w", err)
}

// keep reads a response before the SDK does, which would read it without bound
// and lose parts of it, and leaves an empty body in its place.
func (c *Client) keep(into **reply) option.Middleware {
	return func(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		ctx, idle := newWatch(request.Context(), c.config.IdleTimeout)
		defer idle.stop()
		response, err := next(request.WithContext(ctx))
		if err != nil {
			return response, idle.cause(err)
		}
		got, err := c.receive(response, idle)
		_ = response.Body.Close()
		// A status that refuses is worth more than the end of its body.
		if err != nil && (request.Context().Err() != nil || response.StatusCode < http.StatusMultipleChoices) {
			return nil, fmt.Errorf("read the answer: %w", idle.cause(err))
		}
		*into = got
		response.Body = io.NopCloser(bytes.NewReader(nil))
		return response, nil
	}
}

// receive reads a reply, as a stream if it was asked for and is one.
func (c *Client) receive(response *http.Response, idle *watch) (*reply, error) {
	got := &reply{status: response.StatusCode, header: response.Header, secrets: c.secrets}
	body := bufio.NewReader(sse.Limit(watched{response.Body, idle}, maxStreamBytes))
	if !c.config.Stream || !got.isSuccess() || !sse.IsStream(body, response.Header) {
		var err error
		got.body, err = io.ReadAll(io.LimitReader(body, maxReplyBytes+1))
		return got, err
	}
	got.stream = &stream{Assembler: c.api.NewAssembler()}
	err := got.stream.follow(body)
	got.body = got.stream.last
	if err == nil {
		idle.drain(response.Body)
	}
	return got, err
}

func (r reply) isSuccess() bool {
	return r.status >= http.StatusOK && r.status < http.StatusMultipleChoices
}

// headerSafe keeps a key as it is where a header can carry it. A run may be
// named by a caller in any script, and net/http would refuse to send the
// request; what matters is that the same key always gives the same header.
func headerSafe(key string) string {
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return url.PathEscape(key)
	}
	return key
}
