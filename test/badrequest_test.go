package test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"errand/test/harness"
	"errand/worker"
	"errand/workflows/contract"
)

func TestBadRequestFailsWithinOneWorkflowTaskWithAllFaults(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Always(harness.Say("never asked")))
	s.work("responses", worker.WithTools(fixed("weather", "sunny")))
	for name, row := range map[string]struct {
		argument string
		faults   []string
	}{
		"not JSON":         {`{"model":`, []string{"the request must be one JSON object"}},
		"an array":         {`[1,2]`, []string{"the request must be one JSON object"}},
		"null":             {`null`, []string{"the request must be one JSON object"}},
		"missing fields":   {`{}`, []string{"model: required", "input: required"}},
		"wrong types":      {`{"model":7,"input":true,"tools":"none","run":{"max_rounds":"many"}}`, []string{"model: must be a string", "input: must be text", "tools: must be an array", "run.max_rounds: must be"}},
		"a bad duration":   {`{"model":"m","input":"x","run":{"tool_timeout":"soon"}}`, []string{`run.tool_timeout: "soon" is not a duration`}},
		"duplicate names":  {`{"model":"m","input":"x","tools":[{"type":"function","name":"weather"},{"type":"platform","name":"weather"}]}`, []string{`tools[1].name: platform "weather" clashes with function "weather" of tools[0]`}},
		"flattened clash":  {`{"model":"m","input":"x","tools":[{"type":"function","name":"a.b"},{"type":"function","name":"a.b"}]}`, []string{`tools[1].name: function "a.b" clashes`}},
		"unknown platform": {`{"model":"m","input":"x","tools":[{"type":"platform","name":"teleport"}]}`, []string{`tools[0].name: no platform tool "teleport"`}},
		"a bad schema":     {`{"model":"m","input":"x","tools":[{"type":"function","name":"f","parameters":{"type":"objekt"}}]}`, []string{`tools[0].parameters: `}},
		"a foreign $ref":   {`{"model":"m","input":"x","tools":[{"type":"function","name":"f","parameters":{"$ref":"file:///etc/passwd"}}]}`, []string{`tools[0].parameters: `}},
		"all of it at once": {
			`{"input":"","tools":[{"type":"function"},{"type":"platform","name":"teleport"},{"type":"function","name":"f","parameters":{"type":"objekt"}}],"tool_choice":"maybe"}`,
			[]string{"model: required", "input: must not be empty", "tools[0].name: required", "tools[1].name: no platform tool", "tools[2].parameters: ", "tool_choice: "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := within(t)
			// The raw payload, as any client may send it.
			run, err := s.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: s.queue}, contract.TypeRun,
				rawJSON(row.argument))
			require.NoError(t, err)
			err = run.Get(ctx, nil)
			var app *temporal.ApplicationError
			require.ErrorAs(t, err, &app)
			require.Equal(t, contract.ErrInvalidRequest, app.Type())
			for _, fault := range row.faults {
				require.Contains(t, app.Message(), fault)
			}
			var result contract.Result
			require.NoError(t, app.Details(&result))
			require.Len(t, result.Error.Faults, len(row.faults), "%v", result.Error.Faults)
			require.Equal(t, 1, workflowTasks(t, s.client, run.GetID()))
		})
	}
	t.Cleanup(func() { require.Empty(t, s.model.Requests(), "nothing was called") })
}

func TestRunWithoutAnArgumentSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Always(harness.Say("never asked")))
	s.work("responses")
	ctx := within(t)
	run, err := s.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: s.queue}, contract.TypeRun)
	require.NoError(t, err)
	require.ErrorContains(t, run.Get(ctx, nil), "the request is missing")
}

// workflowTasks counts the workflow tasks that were completed, and fails on
// one that failed.
func workflowTasks(t *testing.T, c client.Client, id string) (completed int) {
	t.Helper()
	history := c.GetWorkflowHistory(within(t), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		require.NoError(t, err)
		require.NotEqual(t, enums.EVENT_TYPE_WORKFLOW_TASK_FAILED, event.EventType)
		if event.EventType == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			completed++
		}
	}
	return completed
}
