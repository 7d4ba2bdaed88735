package openaimodel

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"errand/activities"
)

var _ activities.Model = (*Client)(nil)

// Client is a model behind one base URL. It is safe for concurrent use and
// holds no state but its pooled connections.
type Client struct {
	sdk     openai.Client
	dialect dialect
	config  Config
	secrets []string
}

// dialect is one of the two APIs: where it is, how a request is written and
// how an answer is read. encode fails on a request that the API has no form
// for, decode on a reply that is no answer.
type dialect struct {
	path   string
	encode func(activities.ModelRequest) (*object, error)
	decode func(reply) (activities.ModelAnswer, error)
	// streaming is what a request says to have its answer streamed, and
	// assemble begins to read one.
	streaming []member
	assemble  func() assembler
}

var (
	responsesDialect = dialect{
		"responses", encodeResponses, decodeResponses,
		[]member{{"stream", json.RawMessage(`true`)}},
		newResponsesStream,
	}
	chatDialect = dialect{
		"chat/completions", encodeChat, decodeChat,
		[]member{{"stream", json.RawMessage(`true`)}, {"stream_options", json.RawMessage(`{"include_usage":true}`)}},
		newChatStream,
	}
)

// New builds a client. The error names every field of the configuration that
// is wrong and how to put it right. No request is made.
func New(config Config) (*Client, error) {
	config = config.withDefaults()
	if err := config.faults().Err(); err != nil {
		return nil, fmt.Errorf("openaimodel: %w", err)
	}
	spoken := responsesDialect
	if config.API == Chat {
		spoken = chatDialect
	}
	return &Client{
		// Not openai.NewClient: that one reads the environment, and sends a
		// key found there to whatever base URL it was given.
		sdk:     openai.Client{Options: options(config)},
		dialect: spoken,
		config:  config,
		secrets: secretsOf(config),
	}, nil
}

// options are those of every request. Retries are off: Temporal owns them.
func options(config Config) []option.RequestOption {
	all := []option.RequestOption{
		option.WithBaseURL(config.BaseURL),
		option.WithHTTPClient(stayingHome(config.HTTPClient)),
		option.WithMaxRetries(0),
	}
	if config.APIKey != "" {
		all = append(all, option.WithAPIKey(config.APIKey))
	}
	if config.Timeout > 0 {
		all = append(all, option.WithRequestTimeout(config.Timeout))
	}
	for _, name := range sortedKeys(config.Headers) {
		all = append(all, option.WithHeader(name, config.Headers[name]))
	}
	return all
}

// Infer makes one attempt. It fails with a *activities.ModelError when the
// server, or this package on its behalf, has said what is wrong; with an error
// that wraps ctx.Err() when ctx ended; and with any other error when the
// network failed, Config.Timeout or Config.IdleTimeout passed, or a stream ended
// too early.
func (c *Client) Infer(ctx context.Context, request activities.ModelRequest) (activities.ModelAnswer, error) {
	if err := wellFormed(request); err != nil {
		return activities.ModelAnswer{}, err
	}
	body, err := c.dialect.encode(request)
	if err != nil {
		return activities.ModelAnswer{}, err
	}
	if c.config.Stream {
		for _, m := range c.dialect.streaming {
			body.raw(m.key, m.value)
		}
	}
	got, err := c.post(ctx, body.bytes(), request.Key)
	switch {
	case err != nil:
		return activities.ModelAnswer{}, err
	case !got.accepts():
		return activities.ModelAnswer{}, got.refusal()
	case got.stream != nil:
		return got.stream.result(got)
	case len(got.body) > maxReplyBytes:
		return activities.ModelAnswer{}, got.oversize(maxReplyBytes)
	}
	return c.dialect.decode(got)
}
