package tools_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
)

func TestHandlerOfToolFailuresDoesNotCatchACancellation(t *testing.T) {
	t.Parallel()
	anyFailure := &tools.RuntimeError{}
	for _, name := range []string{
		tools.ErrAccessDenied, tools.ErrCheckpointRequired, tools.ErrActivationFailed, tools.ErrExecutionFailed, tools.ErrTimedOut, tools.ErrOutcomeUnknown,
	} {
		err := fmt.Errorf("call: %w", tools.Fail(tools.Failed, name, "no").Err())
		require.ErrorIs(t, err, anyFailure, name)
		require.ErrorIs(t, err, &tools.RuntimeError{Type: name})
		require.NotErrorIs(t, err, &tools.RuntimeError{Type: "Other"})
	}
	cancelled := tools.Fail(tools.Cancelled, tools.ErrCancelled, "the run was cancelled").Err()
	require.NotErrorIs(t, cancelled, anyFailure)
	var c *tools.CancelledError
	require.ErrorAs(t, cancelled, &c)
	invalid := tools.Fail(tools.Failed, tools.ErrInvalidArguments, "a: required").Err()
	require.NotErrorIs(t, invalid, anyFailure)
	require.NoError(t, tools.Outcome{Status: tools.Succeeded}.Err())
}
