package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"errand/activities/model"
	"errand/activities/usercode"
)

// says is a model that fails in one way.
type says struct{ err error }

func (s says) Infer(context.Context, model.Request) (model.Answer, error) {
	var bad *usercode.Panic
	if errors.As(s.err, &bad) {
		panic("bug")
	}
	return model.Answer{}, s.err
}

// Only what the model fails counts against the attempts that a run grants it.
func TestAttemptsAreCountedByWhatTheyFailedOf(t *testing.T) {
	t.Parallel()
	away := errors.New("ask the model: connection refused")
	busy := &model.Error{Status: 429, Message: "slow down", RetryAfter: 3 * time.Second}
	for name, row := range map[string]struct {
		before  Heartbeat
		allowed int
		fails   error // of the model; nil fails the reading of the run
		after   Heartbeat
		kind    string
		last    bool
		delay   time.Duration
	}{
		"the first of three":           {Heartbeat{}, 3, away, Heartbeat{Refused: 1}, TypeModelUnavailable, false, 0},
		"the second of three":          {Heartbeat{Refused: 1}, 3, away, Heartbeat{Refused: 2}, TypeModelUnavailable, false, 0},
		"the third of three":           {Heartbeat{Refused: 2}, 3, away, Heartbeat{Refused: 3}, TypeModelUnavailable, true, 0},
		"the only one":                 {Heartbeat{}, 1, busy, Heartbeat{Refused: 1}, TypeModelUnavailable, true, 3 * time.Second},
		"one that says when":           {Heartbeat{}, 2, busy, Heartbeat{Refused: 1}, TypeModelUnavailable, false, 3 * time.Second},
		"a bug in the model's code":    {Heartbeat{}, 2, usercode.NewPanic("bug"), Heartbeat{Refused: 1}, TypeModelUnavailable, false, 0},
		"unread ones do not count":     {Heartbeat{Unread: 19}, 2, away, Heartbeat{Refused: 1, Unread: 19}, TypeModelUnavailable, false, 0},
		"the run could not be read":    {Heartbeat{Refused: 1}, 2, nil, Heartbeat{Refused: 1, Unread: 1}, TypeNotAsked, false, 0},
		"nor the twentieth time":       {Heartbeat{Unread: 19}, 2, nil, Heartbeat{Unread: 20}, TypeNotAsked, true, 0},
		"an input of an older version": {Heartbeat{Refused: 50}, 0, away, Heartbeat{Refused: 51}, TypeModelUnavailable, false, 0},
		"a no for good is not counted": {Heartbeat{}, 5, &model.Error{Status: 401, Permanent: true}, Heartbeat{}, TypeModelRejected, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newRun(1)
			env, a := inferEnv(t, f, says{row.fails}, 0)
			in := f.input(0, 1)
			in.Attempts = row.allowed
			if row.fails == nil {
				in.Digest = "another"
			}
			env.SetHeartbeatDetails(row.before)
			var noted []Heartbeat
			env.SetOnActivityHeartbeatListener(func(_ *activity.Info, details converter.EncodedValues) {
				var p Heartbeat
				require.NoError(t, details.Get(&p))
				noted = append(noted, p)
			})
			_, err := env.ExecuteActivity(a.Infer, in)
			var app *temporal.ApplicationError
			require.ErrorAs(t, err, &app)
			require.Equal(t, row.kind, app.Type())
			require.Equal(t, row.last, app.NonRetryable())
			require.Equal(t, row.delay, app.NextRetryDelay())
			if row.kind == TypeModelRejected {
				require.Empty(t, noted)
				return
			}
			row.after.Allowed = row.allowed
			require.Equal(t, []Heartbeat{row.after}, noted)
		})
	}
}
