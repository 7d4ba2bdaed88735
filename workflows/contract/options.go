package contract

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"errand/tools"
	"errand/tools/item"
)

// RunOptions is the object run of a request: what is Errand's own. In a request
// that somebody writes, the zero value of a field means the default; those of
// DefaultOptions are in force then.
type RunOptions struct {
	// MaxRounds bounds the inferences; a run that reaches it ends incomplete.
	MaxRounds int `json:"max_rounds,omitempty"`
	// ToolExecution runs the calls of one batch in parallel or one by one.
	ToolExecution ToolExecution `json:"tool_execution,omitempty"`
	// MaxParallelCalls is the width of the window of a parallel batch.
	MaxParallelCalls int `json:"max_parallel_calls,omitempty"`
	// ToolTimeout bounds one call that a worker executes; NoTimeout is no bound.
	ToolTimeout Duration `json:"tool_timeout,omitempty"`
	// ClientTimeout bounds the wait for a client or a person; there is no bound by
	// default.
	ClientTimeout Duration `json:"client_timeout,omitempty"`
	// OnClientTimeout says what the end of that wait means: the call expires, or
	// the run fails.
	OnClientTimeout OnClientTimeout `json:"on_client_timeout,omitempty"`
	// CancelGrace bounds the wait for tools and models that were told to stop;
	// NoTimeout waits for none.
	CancelGrace Duration `json:"cancel_grace,omitempty"`
	// ModelAttempts is how often the model may fail one inference.
	ModelAttempts int `json:"model_attempts,omitempty"`
	// ReadOnly denies every tool that writes.
	ReadOnly bool `json:"read_only,omitempty"`
	// RequireCheckpoint denies every tool whose changes cannot be rolled back.
	RequireCheckpoint bool `json:"require_checkpoint,omitempty"`
	// UndeclaredTools says what a call to an unknown name means.
	UndeclaredTools Undeclared `json:"undeclared_tools,omitempty"`
	// DuplicateTools says what two tools of one name mean.
	DuplicateTools tools.Duplicates `json:"duplicate_tools,omitempty"`
	// Progress publishes partial results of running tools as events.
	Progress bool `json:"progress,omitempty"`
	// TextCalls reads calls from the text of models that have no others.
	TextCalls bool `json:"text_calls,omitempty"`
	// MaxTokens bounds the tokens of all inferences together, failed ones included;
	// 0 is no bound. The inference that reaches it is the last.
	MaxTokens int `json:"max_tokens,omitempty"`
	// MaxCost bounds their cost in the currency of the worker's prices, which must
	// have one for the model; 0 is no bound.
	MaxCost item.Cost `json:"max_cost,omitempty"`
	// OnBudget ends a run that reaches a bound, or has it ask for a larger one.
	OnBudget OnBudget `json:"on_budget,omitempty"`
	// CompactAt is how many tokens a conversation may have before it is made
	// shorter for its model; 0 leaves that to what the model says.
	CompactAt int `json:"compact_at,omitempty"`
	// ContinueAfterEvents is the length of a history, in events, at which the run
	// goes on in a new one; 0 leaves it to the server.
	ContinueAfterEvents int `json:"continue_after_events,omitempty"`
}

// DefaultCancelGrace is how long a cancelled run waits for tools that were told
// to stop, unless its request says otherwise.
const DefaultCancelGrace = 10 * time.Second

// DefaultOptions are the options of a request that gives none.
func DefaultOptions() RunOptions {
	return RunOptions{
		MaxRounds: 200, ToolExecution: ExecuteParallel, MaxParallelCalls: 5,
		ToolTimeout: Duration(time.Minute), OnClientTimeout: TimeoutExpires, CancelGrace: Duration(DefaultCancelGrace),
		ModelAttempts: 10, OnBudget: BudgetStop, UndeclaredTools: UndeclaredError, DuplicateTools: tools.DuplicatesError,
	}
}

// Plan is what constrains every tool of the run.
func (o RunOptions) Plan() tools.Plan {
	return tools.Plan{ReadOnly: o.ReadOnly, RequireCheckpoint: o.RequireCheckpoint}
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

// OnBudget says what happens to a run whose budget is used up while its model
// would go on.
type OnBudget string

const (
	// BudgetStop ends the run incomplete.
	BudgetStop OnBudget = "stop"
	// BudgetAsk waits for a person to extend the budget, or to decline.
	BudgetAsk OnBudget = "ask"
)

// Duration is a time-out of a request. As JSON it is text: "90s", "72h". Zero
// means the default.
type Duration time.Duration

// NoTimeout is no bound at all: "0s".
const NoTimeout Duration = -1

// Limit is the bound in force; 0 is none.
func (d Duration) Limit() time.Duration { return max(0, time.Duration(d)) }

// String is the duration as a request has it.
func (d Duration) String() string { return d.Limit().String() }

// MarshalText writes it so.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (d *Duration) UnmarshalText(text []byte) error {
	read, err := time.ParseDuration(string(text))
	*d = bounded(read)
	return err
}

func bounded(d time.Duration) Duration {
	if d <= 0 {
		return NoTimeout
	}
	return Duration(d)
}

// optionNames are the fields of run.
var optionNames = func() (names []string) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[RunOptions]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}()

func (o *RunOptions) decode(request map[string]json.RawMessage, faults *tools.Faults) {
	raw, given := request["run"]
	if !given || string(raw) == "null" {
		return
	}
	fields, ok := tools.Object(raw)
	if !ok {
		faults.Add("run", "must be an object")
		return
	}
	for _, name := range sortedNames(fields) {
		if !slices.Contains(optionNames, name) {
			faults.Add("run."+name, "unknown field: known are "+strings.Join(optionNames, ", "))
		}
	}
	numberField(fields, "max_rounds", &o.MaxRounds, 1, MaxRounds, faults)
	numberField(fields, "max_tokens", &o.MaxTokens, 0, MaxTokens, faults)
	tools.Field(fields, "run", "max_cost", &o.MaxCost, "an amount of money, such as 0.5", faults)
	choiceField(fields, "on_budget", &o.OnBudget, []OnBudget{BudgetStop, BudgetAsk}, faults)
	numberField(fields, "compact_at", &o.CompactAt, 0, MaxTokens, faults)
	numberField(fields, "max_parallel_calls", &o.MaxParallelCalls, 1, MaxParallelCalls, faults)
	numberField(fields, "model_attempts", &o.ModelAttempts, 1, 1000, faults)
	numberField(fields, "continue_after_events", &o.ContinueAfterEvents, 0, MaxContinueAfterEvents, faults)
	durationField(fields, "tool_timeout", &o.ToolTimeout, faults)
	durationField(fields, "client_timeout", &o.ClientTimeout, faults)
	durationField(fields, "cancel_grace", &o.CancelGrace, faults)
	tools.Field(fields, "run", "read_only", &o.ReadOnly, "true or false", faults)
	tools.Field(fields, "run", "require_checkpoint", &o.RequireCheckpoint, "true or false", faults)
	tools.Field(fields, "run", "progress", &o.Progress, "true or false", faults)
	tools.Field(fields, "run", "text_calls", &o.TextCalls, "true or false", faults)
	choiceField(fields, "tool_execution", &o.ToolExecution, []ToolExecution{ExecuteParallel, ExecuteSequential}, faults)
	choiceField(fields, "on_client_timeout", &o.OnClientTimeout, []OnClientTimeout{TimeoutExpires, TimeoutFails}, faults)
	choiceField(fields, "undeclared_tools", &o.UndeclaredTools, []Undeclared{UndeclaredError, UndeclaredClient}, faults)
	choiceField(fields, "duplicate_tools", &o.DuplicateTools, []tools.Duplicates{tools.DuplicatesError, tools.DuplicatesLast}, faults)
}

func durationField(fields map[string]json.RawMessage, name string, target *Duration, faults *tools.Faults) {
	const none = -1
	read := time.Duration(none)
	tools.DurationField(fields, "run", name, &read, faults)
	if read != none {
		*target = bounded(read)
	}
}

func numberField(fields map[string]json.RawMessage, name string, target *int, low, high int, faults *tools.Faults) {
	value := *target
	before := len(*faults)
	want := fmt.Sprintf("a whole number from %d to %d", low, high)
	tools.Field(fields, "run", name, &value, want, faults)
	if len(*faults) > before {
		return
	}
	if value < low || value > high {
		faults.Add("run."+name, "must be "+want)
		return
	}
	*target = value
}

func choiceField[T ~string](fields map[string]json.RawMessage, name string, target *T, allowed []T, faults *tools.Faults) {
	value := *target
	before := len(*faults)
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = fmt.Sprintf("%q", string(a))
	}
	want := strings.Join(names, " or ")
	tools.Field(fields, "run", name, &value, want, faults)
	if len(*faults) > before {
		return
	}
	if !slices.Contains(allowed, value) {
		faults.Add("run."+name, "must be "+want)
		return
	}
	*target = value
}
