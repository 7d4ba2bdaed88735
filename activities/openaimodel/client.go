// Package openaimodel asks a model over HTTP: it implements model.Model
// on openai-go, speaking the Responses API or Chat Completions. The worker
// builds a Client from its configuration and hands it to the activities.
//
// This package is the client: its configuration, connections, attempts, the
// following of a stream, and the classes of failures. How requests and answers
// are written stands in chat and responses, what those two share in protocol;
// rawjson and sse are the formats below them.
//
// Requests and answers are raw JSON on both sides. The typed parameters of
// openai-go lose input items without a type, names inside tool choices and
// vendor keys, so only its HTTP side is used: one attempt a call, no
// environment variable, no redirect to another host.
//
// A streamed answer is put together here and handed on whole, the same items
// as without streaming. Streams are not read by openai-go either: what servers
// send differs more in pieces than in whole, in how calls are numbered, in what
// ends an answer and in where an error stands.
package openaimodel

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"errand/activities/model"
	"errand/activities/openaimodel/chat"
	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/responses"
	"errand/activities/openaimodel/sse"
)

var _ model.Model = (*Client)(nil)

// Client is a model behind one base URL. It is safe for concurrent use and
// holds no state but its pooled connections.
type Client struct {
	sdk     openai.Client
	api     protocol.API
	config  Config
	secrets []string
}

// New builds a client. The error names every field of the configuration that
// is wrong and how to put it right. No request is made.
func New(config Config) (*Client, error) {
	config = config.withDefaults()
	if err := config.faults().Err(); err != nil {
		return nil, fmt.Errorf("openaimodel: %w", err)
	}
	api := responses.API
	if config.API == Chat {
		api = chat.API
	}
	return &Client{
		// Not openai.NewClient: that one reads the environment, and sends a
		// key found there to whatever base URL it was given.
		sdk:     openai.Client{Options: options(config)},
		api:     api,
		config:  config,
		secrets: secretsOf(config),
	}, nil
}

// options are those of every request. Retries are off: Temporal owns them.
func options(config Config) []option.RequestOption {
	all := []option.RequestOption{
		option.WithBaseURL(config.BaseURL),
		option.WithHTTPClient(withinOrigin(config.HTTPClient)),
		option.WithMaxRetries(0),
	}
	if config.APIKey != "" {
		all = append(all, option.WithAPIKey(config.APIKey))
	}
	if config.Timeout > 0 {
		all = append(all, option.WithRequestTimeout(config.Timeout))
	}
	for _, name := range slices.Sorted(maps.Keys(config.Headers)) {
		all = append(all, option.WithHeader(name, config.Headers[name]))
	}
	return all
}

// Infer makes one attempt. It fails with a *model.Error when the
// server, or this package on its behalf, has said what is wrong; with an error
// that wraps ctx.Err() when ctx ended; and with any other error when the
// network failed, Config.Timeout or Config.IdleTimeout passed, or a stream ended
// too early.
func (c *Client) Infer(ctx context.Context, request model.Request) (model.Answer, error) {
	if err := protocol.Check(request); err != nil {
		return model.Answer{}, err
	}
	body, err := c.api.Encode(request)
	if err != nil {
		return model.Answer{}, err
	}
	if c.config.Stream {
		body = append(body, c.api.StreamOptions...)
	}
	got, err := c.post(ctx, body.Encode(), request.Key)
	if err != nil {
		return model.Answer{}, err
	}
	return c.read(got)
}

// read is the answer in a reply, or what has failed.
func (c *Client) read(got reply) (model.Answer, error) {
	if !got.isSuccess() {
		return model.Answer{}, got.statusError()
	}
	answer, err := c.decode(got)
	switch {
	case errors.Is(err, errIncomplete):
		return model.Answer{}, err
	case err != nil:
		return model.Answer{}, got.classify(err)
	}
	return answer, nil
}

func (c *Client) decode(got reply) (model.Answer, error) {
	switch {
	case got.stream != nil:
		return got.stream.answer()
	case len(got.body) > maxReplyBytes:
		return model.Answer{}, sse.TooLargeError(maxReplyBytes)
	}
	return c.api.Decode(got.body)
}
