package starter

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/mocks"

	"errand/workflows/contract"
)

// TestAFaultOfTheStorageIsNoSilenceOfTheWorkers: what the client cannot fetch is
// told as such, and waited for only where that can help.
func TestAFaultOfTheStorageIsNoSilenceOfTheWorkers(t *testing.T) {
	t.Parallel()
	retrieve := func(err error) error { return fmt.Errorf("storage driver %q retrieve failed: %w", "errand.s3", err) }
	for name, c := range map[string]struct {
		err     error
		lasting bool
	}{
		"no storage":     {errors.New("[TMPRL1105] Externally stored payload encountered but no storage driver is configured"), true},
		"another one":    {errors.New(`no storage driver registered with name "errand.s3"`), true},
		"not configured": {retrieve(errors.ErrUnsupported), true},
		"deleted":        {retrieve(fs.ErrNotExist), true},
		"away":           {retrieve(errors.New("connection refused")), false},
	} {
		client := &mocks.Client{}
		client.On("QueryWorkflow", mock.Anything, mock.Anything, mock.Anything, mock.Anything).Return(nil, c.err)
		_, err := New(client).Attach("r").Status(t.Context())
		require.ErrorIs(t, err, ErrStorage, name)
		require.ErrorIs(t, err, c.err, name)
		require.NotErrorIs(t, err, ErrNoReply, name)
		require.Equal(t, c.lasting, permanent(err), name)
	}
	workers := serviceerror.NewQueryFailed("[TMPRL1105] Externally stored payload encountered but no storage driver is configured")
	client := &mocks.Client{}
	client.On("QueryWorkflow", mock.Anything, mock.Anything, mock.Anything, mock.Anything).Return(nil, workers)
	_, err := New(client).Attach("r").Status(t.Context())
	require.NotErrorIs(t, err, ErrStorage, "it is the worker's")
}

func TestLargeAnswersRaiseTheLimit(t *testing.T) {
	t.Parallel()
	f := newFake()
	answer := Output("act_9_0", strings.Repeat("x", 3<<20))
	_, err := New(f, LargeAnswers(2<<20)).Attach("r").Answer(t.Context(), answer)
	require.Equal(t, &TooLargeError{"output", 3<<20 + 2, 2 << 20}, err)
	_, err = New(f, LargeAnswers(0)).Attach("r").Answer(t.Context(), answer)
	require.Equal(t, &TooLargeError{"output", 3<<20 + 2, contract.MaxAnswerSize}, err)
}
