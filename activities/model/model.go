// Package model says what the gateway asks of a model, and what its tokens cost.
package model

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"errand/tools/item"
)

// Model answers one inference. Implementations make exactly one attempt:
// Temporal owns the retries. A failure is a *Error where the model's
// server said what is wrong; any other error counts as one of the network and
// is retried.
type Model interface {
	Infer(ctx context.Context, request Request) (Answer, error)
}

// Request is one inference in provider-neutral form. Names of tools are
// model-visible: ^[A-Za-z0-9_-]{1,64}$.
type Request struct {
	Model        string
	Instructions string
	// Items is the whole conversation: message, reasoning, function_call and
	// function_call_output items in the shape of the Responses API.
	Items []json.RawMessage
	Tools []FunctionTool
	// ToolChoice is the Responses form (a string or an object), or nil.
	ToolChoice json.RawMessage
	// ParallelToolCalls is nil when the caller said nothing.
	ParallelToolCalls *bool
	// Settings are the request fields that Errand does not interpret, such as
	// temperature, max_output_tokens, reasoning, text, include and vendor
	// keys, as the caller wrote them.
	Settings map[string]json.RawMessage
	// Key is stable over the attempts of one inference; sent as the header
	// Idempotency-Key.
	Key string
}

// FunctionTool is a tool as the model sees it.
type FunctionTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

// FinishReason says why a model ended its answer.
type FinishReason string

const (
	// FinishCompleted means that the answer is whole.
	FinishCompleted FinishReason = "completed"
	// FinishLength means cut at the output token limit; its calls must not run.
	FinishLength FinishReason = "max_output_tokens"
	// FinishFilter means cut by a content filter; its calls must not run.
	FinishFilter FinishReason = "content_filter"
)

// Answer is what a model said.
type Answer struct {
	// Items are message, reasoning and function_call items in the shape of
	// the Responses API, in order.
	Items  []json.RawMessage
	Finish FinishReason
	// Usage is nil when the server reported none.
	Usage *item.Usage
	// Model is the model that answered, as its server named it.
	Model string
}

// Error is a model server's own answer that it will not, or not now.
type Error struct {
	// Status is the HTTP status, 0 when the failure had none.
	Status int
	// Code is the server's error code, for example insufficient_quota.
	Code    string
	Message string
	// Permanent failures are not retried.
	Permanent bool
	// Usage is what the failed inference has used; nil where its server did not
	// say.
	Usage *item.Usage
	// RetryAfter is how long the server asked to wait; 0 if it did not.
	RetryAfter time.Duration
}

// ContextExceeded tells whether the conversation was too long for the model.
// Servers that have no code for it say so in words.
func (e *Error) ContextExceeded() bool {
	if !e.Permanent {
		return false
	}
	if e.Code == "context_length_exceeded" {
		return true
	}
	text := strings.ToLower(e.Message)
	for _, said := range []string{
		"context_length_exceeded", "maximum context length", "context window", "prompt is too long",
		"exceeds the model's context", "maximum number of tokens", "input is too long", "input length and `max_tokens` exceed",
	} {
		if strings.Contains(text, said) {
			return true
		}
	}
	return false
}

func (e *Error) Error() string {
	switch {
	case e.Status != 0 && e.Code != "":
		return fmt.Sprintf("model answered %d (%s): %s", e.Status, e.Code, e.Message)
	case e.Status != 0:
		return fmt.Sprintf("model answered %d: %s", e.Status, e.Message)
	case e.Code != "":
		return fmt.Sprintf("model failed (%s): %s", e.Code, e.Message)
	}
	return "model failed: " + e.Message
}
