package workflows_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/activities/model"
	"errand/tools"
	"errand/tools/delegate"
	"errand/tools/item"
	"errand/workflows"
	"errand/workflows/contract"
)

// bench is a workflow test environment with a scripted model and platform
// tools that run for real.
type bench struct {
	*testsuite.TestWorkflowEnvironment
	t       *testing.T
	mu      sync.Mutex
	answers []func(activities.InferInput) (activities.InferResult, error)
	inputs  []activities.InferInput
	// below has the answers for delegated runs, by the places of their calls.
	below map[string][]any
	// asked are the delegated runs that asked the model, in order.
	asked []string
	// ended has a gate for every Execute activity by its id; it opens when the
	// workflow's side has the result.
	ended map[string]chan struct{}
}

// newBench makes an environment whose model gives the answers in turn.
func newBench(t *testing.T, source source, hooks activities.Hooks, answers ...any) *bench {
	t.Helper()
	parts := activities.Parts{Model: noModel{}, Engine: noEngine{}, Hooks: hooks, Sources: map[string]activities.Source{}, MaxOutput: 8 << 20}
	if source != nil {
		parts.Sources[tools.SourcePlatform] = source
		if source[tools.TypeWebSearch] != nil {
			parts.Sources[tools.SourceWebSearch] = webSource{source}
		}
	}
	parts.Sources[tools.SourceDelegate] = delegate.New(2)
	acts, err := activities.New(parts)
	require.NoError(t, err)
	return newBenchOf(t, acts, answers...)
}

// newBenchOf is newBench with the activities of a worker that lives longer.
func newBenchOf(t *testing.T, acts *activities.Activities, answers ...any) *bench {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	b := &bench{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), t: t}
	for _, a := range answers {
		switch a := a.(type) {
		case activities.InferResult:
			b.answers = append(b.answers, func(activities.InferInput) (activities.InferResult, error) { return a, nil })
		case error:
			b.answers = append(b.answers, func(activities.InferInput) (activities.InferResult, error) {
				return activities.InferResult{}, a
			})
		}
	}
	b.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // on a busy machine
	b.SetTestTimeout(time.Minute)
	b.ended = map[string]chan struct{}{}
	b.SetOnActivityCompletedListener(func(info *activity.Info, _ converter.EncodedValue, _ error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		close(b.gate(info.ActivityID))
	})
	b.RegisterActivity(acts)
	b.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: contract.TypeRun})
	b.RegisterWorkflowWithOptions(workflows.Run, workflow.RegisterOptions{Name: contract.TypeDelegated})
	b.RegisterWorkflowWithOptions(workflows.Cleanup, workflow.RegisterOptions{Name: workflows.TypeCleanup})
	b.OnActivity(acts.Infer, mock.Anything, mock.Anything).Return(b.infer)
	return b
}

func (b *bench) gate(activityID string) chan struct{} {
	if b.ended[activityID] == nil {
		b.ended[activityID] = make(chan struct{})
	}
	return b.ended[activityID]
}

// after is a tool that ends once the call at another place of its round has
// ended.
func (b *bench) after(index int, text string) func(context.Context, tools.Invocation) (tools.Output, error) {
	return func(_ context.Context, c tools.Invocation) (tools.Output, error) {
		b.mu.Lock()
		gate := b.gate(fmt.Sprintf("%d/%d/execute", c.Call.Round, index))
		b.mu.Unlock()
		<-gate
		return tools.Output{Content: text}, nil
	}
}

func (b *bench) infer(ctx context.Context, in activities.InferInput) (activities.InferResult, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.inputs = append(b.inputs, in)
	if places := delegatedAt(activity.GetInfo(ctx).WorkflowExecution.ID); places != "" {
		return b.inferBelow(places, in.Round)
	}
	if in.Round > len(b.answers) {
		return activities.InferResult{}, temporal.NewNonRetryableApplicationError("no answer is scripted", activities.TypeModelRejected, nil)
	}
	return b.answers[in.Round-1](in)
}

// run executes a request and returns its result, also out of an error.
func (b *bench) run(request string) (*contract.Result, error) {
	b.t.Helper()
	b.ExecuteWorkflow(contract.TypeRun, json.RawMessage(request))
	require.True(b.t, b.IsWorkflowCompleted())
	return b.ending()
}

// ending is what the run ended with.
func (b *bench) ending() (*contract.Result, error) {
	b.t.Helper()
	var result contract.Result
	err := b.GetWorkflowError()
	if err == nil {
		require.NoError(b.t, b.GetWorkflowResult(&result))
		return &result, nil
	}
	var app *temporal.ApplicationError
	var cancelled *temporal.CanceledError
	switch {
	case errors.As(err, &app):
		require.NoError(b.t, app.Details(&result))
	case errors.As(err, &cancelled):
		require.NoError(b.t, cancelled.Details(&result))
	default:
		b.t.Fatalf("the run ended with %v", err)
	}
	return &result, err
}

func (b *bench) query(name string, answer any, args ...any) {
	b.t.Helper()
	value, err := b.QueryWorkflow(name, args...)
	require.NoError(b.t, err)
	require.NoError(b.t, value.Get(answer))
}

// events are the type and the call of every event, in order.
func (b *bench) events() []string {
	var page contract.EventsPage
	b.query(contract.QueryEvents, &page)
	require.True(b.t, page.Done)
	all := make([]string, len(page.Events))
	for i, e := range page.Events {
		require.Equal(b.t, i+1, e.Seq)
		all[i] = string(e.Type)
		if e.ToolCallID != "" {
			all[i] += " " + e.ToolCallID
		}
	}
	return all
}

func (b *bench) conversation() []json.RawMessage {
	var page contract.ItemsPage
	b.query(contract.QueryConversation, &page)
	return page.Items
}

// outputs are the texts of the calls' outputs in the conversation, in order.
func (b *bench) outputs() []string {
	var all []string
	for _, it := range b.conversation() {
		var o struct{ Type, Output string }
		require.NoError(b.t, json.Unmarshal(it, &o))
		if o.Type == item.TypeFunctionCallOutput {
			all = append(all, o.Output)
		}
	}
	return all
}

// say is an answer with text only.
func say(text string) activities.InferResult {
	return activities.InferResult{Items: []json.RawMessage{item.Message("assistant", text)}}
}

// calls is an answer that asks for tools: id, name, arguments each.
func calls(words ...string) activities.InferResult {
	var r activities.InferResult
	for i := 0; i+2 < len(words); i += 3 {
		r.Items = append(r.Items, item.FunctionCall(words[i], words[i+1], words[i+2]))
	}
	return r
}

// source is a set of platform tools by name.
type source map[string]func(context.Context, tools.Invocation) (tools.Output, error)

func (s source) Describe(name string) (tools.Descriptor, bool) {
	_, ok := s[name]
	effect := tools.EffectIdempotent
	if name == "once" {
		effect = tools.EffectOnce
	}
	return tools.Descriptor{
		ModelName: name, Name: name, Type: tools.TypePlatform, Owner: tools.OwnedByGateway,
		Parameters: json.RawMessage(`{"type":"object"}`), ParallelSafe: name != "exclusive", Capabilities: tools.Capabilities{Writes: name != "look"},
		GatewayTool: tools.GatewayTool{Source: tools.SourcePlatform, Effect: effect, Sequential: name == "sequential"},
	}, ok
}

func (source) Prepare(_ string, arguments []byte) ([]byte, error) { return arguments, nil }

func (s source) Execute(ctx context.Context, name string, call tools.Invocation) (tools.Output, error) {
	return s[name](ctx, call)
}

// answers is a tool that always says the same.
func answers(text string) func(context.Context, tools.Invocation) (tools.Output, error) {
	return func(context.Context, tools.Invocation) (tools.Output, error) { return tools.Output{Content: text}, nil }
}

type noModel struct{}

func (noModel) Infer(context.Context, model.Request) (model.Answer, error) {
	return model.Answer{}, errors.New("not scripted")
}

type noEngine struct{}

func (noEngine) QueryWorkflow(context.Context, string, string, string, ...any) (converter.EncodedValue, error) {
	return nil, errors.New("no server")
}

func (noEngine) SignalWorkflow(context.Context, string, string, string, any) error { return nil }

func (noEngine) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return nil, errors.New("no server")
}

func (noEngine) RecordActivityHeartbeat(context.Context, []byte, ...any) error { return nil }

var _ activities.Source = source{}
