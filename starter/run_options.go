package starter

import (
	"encoding/json"
	"time"

	"errand/tools"
	"errand/workflows"
)

// NoTimeout switches a time-out off whose zero value means the default.
const NoTimeout time.Duration = -1

// RunOptions is the object run of a request. Zero means the default, which
// workflows.DefaultOptions names.
type RunOptions struct {
	// MaxRounds bounds the inferences; a run that reaches it ends incomplete.
	MaxRounds int
	// MaxTokens bounds the tokens of all inferences together, failed ones
	// included; 0 is no bound.
	MaxTokens int
	// MaxCost bounds their cost in the currency of the worker's prices, which
	// must have one for the model; 0 is no bound.
	MaxCost float64
	// OnBudget ends a run that reaches a bound, or has it ask for a larger one.
	OnBudget workflows.OnBudget
	// CompactAt is how many tokens a conversation may have before it is made
	// shorter for its model; 0 leaves that to what the model says.
	CompactAt int
	// ToolExecution runs the calls of one batch in parallel or one by one.
	ToolExecution workflows.ToolExecution
	// MaxParallelCalls is the width of the window of a parallel batch.
	MaxParallelCalls int
	// ToolTimeout bounds one call that a worker executes; NoTimeout is no
	// bound.
	ToolTimeout time.Duration
	// ClientTimeout bounds the wait for a client or a person; there is no
	// bound by default.
	ClientTimeout time.Duration
	// OnClientTimeout says what the end of that wait means: the call expires,
	// or the run fails.
	OnClientTimeout workflows.OnClientTimeout
	// CancelGrace bounds the wait for tools that were told to stop; NoTimeout
	// waits for none.
	CancelGrace time.Duration
	// ModelAttempts is how often the model may fail one inference.
	ModelAttempts int
	// ReadOnly denies every tool that writes.
	ReadOnly bool
	// RequireCheckpoint denies every tool whose changes cannot be rolled back.
	RequireCheckpoint bool
	// Progress publishes partial results of running tools as events.
	Progress bool
	// TextCalls reads calls from the text of models that have no others.
	TextCalls bool
	// UndeclaredTools says what a call to an unknown name means.
	UndeclaredTools workflows.Undeclared
	// DuplicateTools says what two tools of one name mean.
	DuplicateTools tools.Duplicates
	// ContinueAfterEvents is the length of a history, in events, at which the
	// run goes on in a new one; 0 leaves it to the server.
	ContinueAfterEvents int
}

// MarshalJSON writes durations as Go duration strings.
func (o RunOptions) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		MaxRounds         int                       `json:"max_rounds,omitempty"`
		MaxTokens         int                       `json:"max_tokens,omitempty"`
		MaxCost           float64                   `json:"max_cost,omitempty"`
		OnBudget          workflows.OnBudget        `json:"on_budget,omitempty"`
		CompactAt         int                       `json:"compact_at,omitempty"`
		ToolExecution     workflows.ToolExecution   `json:"tool_execution,omitempty"`
		MaxParallelCalls  int                       `json:"max_parallel_calls,omitempty"`
		ToolTimeout       string                    `json:"tool_timeout,omitempty"`
		ClientTimeout     string                    `json:"client_timeout,omitempty"`
		OnClientTimeout   workflows.OnClientTimeout `json:"on_client_timeout,omitempty"`
		CancelGrace       string                    `json:"cancel_grace,omitempty"`
		ModelAttempts     int                       `json:"model_attempts,omitempty"`
		ReadOnly          bool                      `json:"read_only,omitempty"`
		RequireCheckpoint bool                      `json:"require_checkpoint,omitempty"`
		Progress          bool                      `json:"progress,omitempty"`
		TextCalls         bool                      `json:"text_calls,omitempty"`
		UndeclaredTools   workflows.Undeclared      `json:"undeclared_tools,omitempty"`
		DuplicateTools    tools.Duplicates          `json:"duplicate_tools,omitempty"`
		ContinueAfter     int                       `json:"continue_after_events,omitempty"`
	}{
		o.MaxRounds, o.MaxTokens, o.MaxCost, o.OnBudget, o.CompactAt, o.ToolExecution, o.MaxParallelCalls, duration(o.ToolTimeout), duration(o.ClientTimeout),
		o.OnClientTimeout, duration(o.CancelGrace),
		o.ModelAttempts, o.ReadOnly, o.RequireCheckpoint, o.Progress, o.TextCalls, o.UndeclaredTools, o.DuplicateTools,
		o.ContinueAfterEvents,
	})
}

func duration(d time.Duration) string {
	switch {
	case d == 0:
		return ""
	case d < 0:
		return "0s"
	}
	return d.String()
}
