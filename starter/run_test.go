package starter

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/mocks"

	"errand/tools"
	"errand/workflows/contract"
)

func TestConversationReadsPageAfterPage(t *testing.T) {
	t.Parallel()
	c := &mocks.Client{}
	for from, page := range map[int]contract.ItemsPage{
		0: {Items: []json.RawMessage{json.RawMessage("0"), json.RawMessage("1")}, Next: 2},
		2: {Items: []json.RawMessage{json.RawMessage("2")}, Next: 3, Done: true},
	} {
		c.On("QueryWorkflow", mock.Anything, "run_1", "", contract.QueryConversation,
			contract.PageQuery{From: from, MaxBytes: contract.MaxPageSize}).Return(value(page), nil)
	}
	var all string
	for one, err := range New(c).Attach("run_1").Conversation(t.Context()) {
		require.NoError(t, err)
		all += string(one)
	}
	require.Equal(t, "012", all)
}

func TestTracesEndWithTheFirstError(t *testing.T) {
	t.Parallel()
	c := &mocks.Client{}
	c.On("QueryWorkflow", mock.Anything, "run_1", "", contract.QueryTraces, mock.Anything).Once().
		Return(value(contract.TracesPage{Traces: []tools.Trace{{Tool: "a"}}, Next: 1}), nil)
	c.On("QueryWorkflow", mock.Anything, "run_1", "", contract.QueryTraces, mock.Anything).Once().
		Return(nil, serviceerror.NewUnavailable("gone"))
	var names []string
	var last error
	for trace, err := range New(c).Attach("run_1").Traces(t.Context()) {
		names, last = append(names, trace.Tool), err
	}
	require.Equal(t, []string{"a", ""}, names)
	require.ErrorIs(t, last, ErrNoReply)
	require.ErrorContains(t, last, "gone")
}

func TestPagesThatDoNotAdvanceEnd(t *testing.T) {
	t.Parallel()
	c := &mocks.Client{}
	c.On("QueryWorkflow", mock.Anything, "run_1", "", contract.QueryConversation, mock.Anything).Once().
		Return(value(contract.ItemsPage{}), nil)
	for _, err := range New(c).Attach("run_1").Conversation(t.Context()) {
		require.FailNow(t, "there is nothing", "%v", err)
	}
}

func TestUnreadableAnswersAreAnError(t *testing.T) {
	t.Parallel()
	c := &mocks.Client{}
	c.On("QueryWorkflow", mock.Anything, "run_1", "", contract.QueryStatus).Return(value("text"), nil)
	_, err := New(c).Attach("run_1").Status(t.Context())
	require.ErrorIs(t, err, errUnreadable)
}
