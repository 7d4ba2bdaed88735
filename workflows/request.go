package workflows

import (
	"encoding/json"
	"time"

	"errand/activities"
	"errand/tools"
	"errand/tools/item"
)

// Request is the decoded argument of Run: an OpenAI Responses create-request
// plus the object run.
type Request struct {
	Model        string
	Instructions string
	// Input is the conversation that the caller starts with.
	Input []json.RawMessage
	// Tools are the caller's declarations; RawTools is the same as written, but
	// for credentials.
	Tools    []tools.Declaration
	RawTools json.RawMessage `json:",omitempty"`
	// ToolChoice is nil when the caller left it out.
	ToolChoice        json.RawMessage `json:",omitempty"`
	ParallelToolCalls *bool
	// MaxToolCalls bounds the gateway-owned calls of the run; 0 is no bound.
	MaxToolCalls int
	Metadata     json.RawMessage `json:",omitempty"`
	// Settings are the fields Errand does not interpret. They reach the model
	// unchanged in every round.
	Settings map[string]json.RawMessage
	// Warnings name fields that were taken out because they cannot work here.
	Warnings []string
	Run      Options
	// Delegated is nil for a run that somebody started from outside.
	Delegated *Delegated `json:",omitempty"`
}

// Delegated says which call a delegated run works for.
type Delegated struct {
	// Depth is how many runs are above this one, from 1.
	Depth int
	// Round and Index are the place of the call in the run that started this one.
	Round, Index int
}

// ToolExecution is the mode of a batch.
type ToolExecution string

const (
	// ExecuteParallel runs a batch in a sliding window.
	ExecuteParallel ToolExecution = "parallel"
	// ExecuteSequential finishes each call before the next one starts.
	ExecuteSequential ToolExecution = "sequential"
)

// Undeclared says what a call to a name that nobody declared means.
type Undeclared string

const (
	// UndeclaredError answers the model with UnknownTool.
	UndeclaredError Undeclared = "error"
	// UndeclaredClient hands the call to the client.
	UndeclaredClient Undeclared = "client"
)

// OnClientTimeout says what happens when a client or a person has not answered
// in time.
type OnClientTimeout string

const (
	// TimeoutExpires gives the call the outcome Expired, which the model reads.
	TimeoutExpires OnClientTimeout = "expire"
	// TimeoutFails ends the run as failed, with LimitExceeded.
	TimeoutFails OnClientTimeout = "fail"
)

// Options is the object run of a request: what is Errand's own.
type Options struct {
	MaxRounds int
	// MaxTokens and MaxCost bound what the inferences of the run use together;
	// 0 is no bound. The one that reaches a bound is the last.
	MaxTokens int
	MaxCost   item.Cost
	OnBudget  OnBudget
	// CompactAt is how many tokens a conversation may have before it is made
	// shorter for its model; 0 waits until the model says so.
	CompactAt        int
	ToolExecution    ToolExecution
	MaxParallelCalls int
	// ToolTimeout bounds one gateway-owned call; 0 switches it off.
	ToolTimeout time.Duration
	// ClientTimeout bounds the wait for a client or a person; 0 is no bound.
	ClientTimeout time.Duration
	// OnClientTimeout says what the end of that wait means.
	OnClientTimeout OnClientTimeout
	// CancelGrace bounds the wait for tools and models that were told to stop.
	CancelGrace time.Duration
	// ModelAttempts bounds the attempts at one inference.
	ModelAttempts int
	Plan          tools.Plan
	// Progress publishes partial results of running tools as events.
	Progress bool
	// TextCalls has calls read from the text of models that have no others.
	TextCalls  bool
	Undeclared Undeclared
	Duplicates tools.Duplicates
	// ContinueAfterEvents is the length of a history at which the run goes on
	// in a new one; 0 leaves it to the server.
	ContinueAfterEvents int
}

// DefaultOptions are the options of a request that gives none.
func DefaultOptions() Options {
	return Options{
		MaxRounds: 200, ToolExecution: ExecuteParallel, MaxParallelCalls: 5,
		ToolTimeout: time.Minute, OnClientTimeout: TimeoutExpires, CancelGrace: activities.DefaultGrace, ModelAttempts: 10, OnBudget: BudgetStop,
		Undeclared: UndeclaredError, Duplicates: tools.DuplicatesError,
	}
}
