package openaimodel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openai/openai-go/v3/option"
)

// Probe is what a server says without being asked for tokens.
type Probe struct {
	// Models are the names in its list of models; nil when it has none that can
	// be read.
	Models []string
	// Status is that of its answer to an empty request, to the path that
	// inferences use: a server that takes the key and speaks the API refuses it
	// as a bad request. Message is what it said.
	Status  int
	Message string
}

// Probe asks for the list of models, and sends a request without a model and
// without input. The error is one of the network.
func (c *Client) Probe(ctx context.Context) (Probe, error) {
	empty, err := c.post(ctx, []byte(`{}`), "")
	if err != nil {
		return Probe{}, err
	}
	p := Probe{Status: empty.status}
	if !empty.isSuccess() {
		p.Message = empty.statusError().Message
	}
	p.Models, err = c.models(ctx)
	if err != nil && ctx.Err() != nil {
		return p, err
	}
	return p, nil
}

// models reads the names of the server's models.
func (c *Client) models(ctx context.Context) ([]string, error) {
	var got *reply
	err := c.sdk.Get(ctx, "models", nil, nil, option.WithMiddleware(c.keep(&got)))
	switch {
	case got == nil && err == nil:
		return nil, errors.New("no answer")
	case got == nil:
		return nil, fmt.Errorf("ask for the models: %w", err)
	case !got.isSuccess():
		return nil, got.statusError()
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(got.body, &list); err != nil {
		return nil, fmt.Errorf("the list of models is not JSON: %w", err)
	}
	var names []string
	for _, one := range list.Data {
		names = append(names, one.ID)
	}
	return names, nil
}
