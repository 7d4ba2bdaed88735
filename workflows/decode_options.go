package workflows

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"errand/tools"
)

// optionNames are the fields of run.
var optionNames = []string{
	"max_rounds", "tool_execution", "max_parallel_calls", "tool_timeout", "client_timeout", "on_client_timeout", "cancel_grace",
	"model_attempts", "read_only", "require_checkpoint", "undeclared_tools", "duplicate_tools", "progress",
	"text_calls", "max_tokens", "max_cost", "on_budget", "compact_at", "continue_after_events",
}

func (o *Options) decode(request map[string]json.RawMessage, faults *tools.Faults) {
	raw, given := request["run"]
	if !given || string(raw) == "null" {
		return
	}
	fields, ok := tools.Object(raw)
	if !ok {
		faults.Add("run", "must be an object")
		return
	}
	for _, name := range workflow.DeterministicKeys(fields) {
		if !slices.Contains(optionNames, name) {
			faults.Add("run."+name, "unknown field: known are "+strings.Join(optionNames, ", "))
		}
	}
	numberField(fields, "max_rounds", &o.MaxRounds, 1, maxRounds, faults)
	o.decodeBudget(fields, faults)
	o.decodeCompaction(fields, faults)
	numberField(fields, "max_parallel_calls", &o.MaxParallelCalls, 1, MaxParallelCalls, faults)
	numberField(fields, "model_attempts", &o.ModelAttempts, 1, 1000, faults)
	numberField(fields, "continue_after_events", &o.ContinueAfterEvents, 0, manyEvents, faults)
	tools.DurationField(fields, "run", "tool_timeout", &o.ToolTimeout, faults)
	tools.DurationField(fields, "run", "client_timeout", &o.ClientTimeout, faults)
	tools.DurationField(fields, "run", "cancel_grace", &o.CancelGrace, faults)
	tools.Field(fields, "run", "read_only", &o.Plan.ReadOnly, "true or false", faults)
	tools.Field(fields, "run", "require_checkpoint", &o.Plan.RequireCheckpoint, "true or false", faults)
	tools.Field(fields, "run", "progress", &o.Progress, "true or false", faults)
	tools.Field(fields, "run", "text_calls", &o.TextCalls, "true or false", faults)
	choiceField(fields, "tool_execution", &o.ToolExecution, []ToolExecution{ExecuteParallel, ExecuteSequential}, faults)
	choiceField(fields, "on_client_timeout", &o.OnClientTimeout, []OnClientTimeout{TimeoutExpires, TimeoutFails}, faults)
	choiceField(fields, "undeclared_tools", &o.Undeclared, []Undeclared{UndeclaredError, UndeclaredClient}, faults)
	choiceField(fields, "duplicate_tools", &o.Duplicates, []tools.Duplicates{tools.DuplicatesError, tools.DuplicatesLast}, faults)
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
