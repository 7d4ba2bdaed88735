package starter

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/mocks"

	"errand/workflows/contract"
)

var hello = Request{Model: "m", Input: "hello"}

// starting is a client that takes one start and answers with err.
func starting(t *testing.T, options *client.StartWorkflowOptions, raw *json.RawMessage, err error) *mocks.Client {
	c := &mocks.Client{}
	c.On("ExecuteWorkflow", mock.Anything, mock.Anything, contract.TypeRun, mock.Anything).
		Run(func(args mock.Arguments) {
			*options = args.Get(1).(client.StartWorkflowOptions)
			*raw = args.Get(3).(json.RawMessage)
		}).Return(&mocks.WorkflowRun{}, err)
	t.Cleanup(func() { c.AssertExpectations(t) })
	return c
}

func TestStartSendsTheRequest(t *testing.T) {
	t.Parallel()
	var options client.StartWorkflowOptions
	var raw json.RawMessage
	run, err := New(starting(t, &options, &raw, nil), TaskQueue("q")).Start(t.Context(), hello)
	require.NoError(t, err)

	require.True(t, strings.HasPrefix(run.ID(), "run_"))
	require.Len(t, run.ID(), len("run_")+26)
	require.JSONEq(t, `{"model":"m","input":"hello"}`, string(raw))
	require.Equal(t, client.StartWorkflowOptions{
		ID: run.ID(), TaskQueue: "q",
		WorkflowIDReusePolicy:                    enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		StaticSummary:                            "hello",
		Memo:                                     map[string]any{"model": "m", "prompt": "hello"},
	}, options, "no time-out among them")
}

func TestStartTakesARequestInAnyForm(t *testing.T) {
	t.Parallel()
	const text = `{ "model": "m", "input": "hello" }`
	for name, request := range map[string]any{
		"Request": hello, "pointer": &hello, "RawMessage": json.RawMessage(text), "bytes": []byte(text),
		"map": map[string]any{"model": "m", "input": "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var options client.StartWorkflowOptions
			var raw json.RawMessage
			run, err := New(starting(t, &options, &raw, nil)).Start(t.Context(), request, WithRunID("order-7"))
			require.NoError(t, err)
			require.Equal(t, "order-7", run.ID())
			require.Equal(t, "order-7", options.ID)
			require.Equal(t, contract.DefaultTaskQueue, options.TaskQueue)
			require.JSONEq(t, text, string(raw))
		})
	}
}

func TestStartListsEveryFaultBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	s := New(&mocks.Client{}) // panics when it is used
	_, err := s.Start(t.Context(), Request{Tools: []Tool{{Type: "function"}}})
	var invalid *InvalidRequestError
	require.ErrorAs(t, err, &invalid)
	require.Len(t, invalid.Faults, 3)
	require.ErrorContains(t, err, "model: required")
	require.ErrorContains(t, err, "input: required")
	require.ErrorContains(t, err, "tools[0].name: required")

	for name, request := range map[string]any{
		"not JSON": []byte("{"), "nothing": nil, "empty": []byte{}, "text": "hello", "not marshallable": make(chan int),
		"extra": Request{Model: "m", Input: "i", Extra: map[string]any{"run": 1}},
	} {
		_, err := s.Start(t.Context(), request)
		require.ErrorAs(t, err, &invalid, name)
	}
}

func TestStartRefusesWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	_, err := New(&mocks.Client{}).Start(t.Context(), Request{Model: "m", Input: strings.Repeat("x", contract.MaxRequestSize)})
	var large *TooLargeError
	require.ErrorAs(t, err, &large)
	require.Greater(t, large.Size, contract.MaxRequestSize)
	require.ErrorContains(t, err, "request too large: 15728")
}

func TestStartRefusesBadRunIDs(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "a\nb", strings.Repeat("x", 201), "\xff", "zamówienie-7", "\x7f"} {
		_, err := New(&mocks.Client{}).Start(t.Context(), hello, WithRunID(id))
		require.ErrorContains(t, err, "must be 1 to 200 characters of printable ASCII", id)
	}
	require.NoError(t, CheckRunID("order 7/~"))
}

func TestStartAttachesOnlyIfAskedAndRunning(t *testing.T) {
	t.Parallel()
	const running, completed = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	for name, c := range map[string]struct {
		status  enumspb.WorkflowExecutionStatus
		options []StartOption
		attach  bool
	}{
		"not asked":            {running, nil, false},
		"asked and running":    {running, []StartOption{AttachIfRunning()}, true},
		"asked but has ended":  {completed, []StartOption{AttachIfRunning()}, false},
		"not asked, has ended": {completed, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var options client.StartWorkflowOptions
			var raw json.RawMessage
			taken := serviceerror.NewWorkflowExecutionAlreadyStarted("taken", "request", "execution")
			m := starting(t, &options, &raw, taken)
			if c.options != nil {
				m.On("DescribeWorkflow", mock.Anything, "mine", "").Return(description(c.status), nil)
			}
			run, err := New(m).Start(t.Context(), hello, append(c.options, WithRunID("mine"))...)
			if c.attach {
				require.NoError(t, err)
				require.Equal(t, "mine", run.ID())
				return
			}
			require.ErrorIs(t, err, ErrAlreadyStarted)
			require.ErrorContains(t, err, "mine")
		})
	}
}

func description(status enumspb.WorkflowExecutionStatus) *client.WorkflowExecutionDescription {
	found := &client.WorkflowExecutionDescription{}
	found.WorkflowType.Name, found.Status = contract.TypeRun, status
	return found
}

func TestStartSaysWhatTheServerSaid(t *testing.T) {
	t.Parallel()
	var options client.StartWorkflowOptions
	var raw json.RawMessage
	_, err := New(starting(t, &options, &raw, context.DeadlineExceeded)).Start(t.Context(), hello, WithRunID("mine"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "mine")
}

func TestPromptIsTheNewestUserMessageOnOneLine(t *testing.T) {
	t.Parallel()
	items := []json.RawMessage{
		json.RawMessage(`{"role":"user","content":"first"}`),
		json.RawMessage(`{"role":"user","content":[{"type":"input_text","text":" second \n line "}]}`),
		json.RawMessage(`{"type":"message","role":"assistant","content":"third"}`),
	}
	require.Equal(t, "second line", oneLine(promptOf(items), maxLine))
	require.Empty(t, promptOf(nil))

	for _, text := range []string{strings.Repeat("ä", 300), strings.Repeat("word ", 500), strings.Repeat("\xff", 9) + "x"} {
		cut := oneLine(text, maxLine)
		require.LessOrEqual(t, len(cut), maxLine)
		require.True(t, utf8.ValidString(cut))
		require.NotEmpty(t, cut)
	}
}

func TestStartThatGetsNoReplySaysSo(t *testing.T) {
	t.Parallel()
	for err, silent := range map[error]bool{
		serviceerror.NewUnavailable("restarting"):        true,
		serviceerror.NewDeadlineExceeded("late"):         true,
		context.DeadlineExceeded:                         true, // of the connection, not of the caller
		serviceerror.NewPermissionDenied("no", ""):       false,
		serviceerror.NewInvalidArgument("no such queue"): false,
		serviceerror.NewNamespaceNotFound("nowhere"):     false,
	} {
		var options client.StartWorkflowOptions
		var raw json.RawMessage
		_, got := New(starting(t, &options, &raw, err)).Start(t.Context(), hello)
		require.ErrorIs(t, got, err)
		require.Equal(t, silent, errors.Is(got, ErrNoReply), "%v", err)
		require.ErrorContains(t, got, "start run "+options.ID)
	}
}

func TestNilOptionsAreIgnored(t *testing.T) {
	t.Parallel()
	var options client.StartWorkflowOptions
	var raw json.RawMessage
	s := New(starting(t, &options, &raw, nil), nil, Logger(nil), DataConverter(nil))
	_, err := s.Start(t.Context(), hello, nil)
	require.NoError(t, err)
	require.NotPanics(t, func() { newServeOptions([]ServeOption{nil}) })
}
