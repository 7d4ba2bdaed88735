package starter

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/workflows/contract"
)

func actions(list ...contract.OpenAction) contract.StatusReport {
	return contract.StatusReport{Actions: list}
}

func named(id, owner string, lease time.Time) contract.OpenAction {
	return contract.OpenAction{Manifest: contract.Manifest{ActionID: id}, Owner: owner, LeaseUntil: lease}
}

func TestOpenCallsOfferWhatIsFree(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	d := newOpenCalls("me")
	d.update(actions(
		named("theirs", "other", now.Add(time.Minute)), named("lapsed", "other", now),
		named("mine", "me", now.Add(time.Minute)), named("nobodys", "", time.Time{}),
	))
	var offered []string
	for {
		a, found := d.nextAction(now)
		if !found {
			break
		}
		offered = append(offered, a.ActionID)
		d.begin(a.ActionID, true, func(error) {})
	}
	require.Equal(t, []string{"lapsed", "mine", "nobodys"}, offered)
	require.Equal(t, 3, d.calls)

	at, needed := d.wake(now)
	require.True(t, needed)
	require.Equal(t, now.Add(time.Minute), at)
	_, needed = d.wake(at)
	require.False(t, needed, "what is free now waits for a place, not for a time")
}

func TestOpenCallsLeaveAloneWhatIsDoneOrPut(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	d := newOpenCalls("me")
	report := actions(named("a", "", time.Time{}), named("b", "", time.Time{}))
	d.update(report)
	for _, id := range []string{"a", "b"} {
		d.begin(id, true, func(error) {})
	}
	d.end(finished{id: "a", call: true, off: true}, now)
	d.end(finished{id: "b", call: true, pause: time.Second}, now)
	require.Zero(t, d.calls)
	_, found := d.nextAction(now)
	require.False(t, found)
	d.update(report) // as old as the answer to a
	b, found := d.nextAction(now.Add(time.Second))
	require.True(t, found)
	require.Equal(t, "b", b.ActionID)
	d.update(actions())
	require.Empty(t, d.off)
	require.Empty(t, d.until)
}

func TestOpenCallsStopWorkOnWhatIsNoLongerOpen(t *testing.T) {
	t.Parallel()
	d := newOpenCalls("me")
	ctx, cancel := context.WithCancelCause(t.Context())
	d.update(actions(named("a", "", time.Time{})))
	d.begin("a", true, cancel)
	d.update(contract.StatusReport{ActionsLeftOut: 1})
	require.NoError(t, ctx.Err(), "it may be among those left out")
	d.update(actions())
	require.ErrorIs(t, context.Cause(ctx), errSettledElsewhere)
}
