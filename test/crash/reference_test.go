package crash

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// reference is the run that nobody harmed.
type reference struct {
	transcript
	// events is the length of its history.
	events int
	// tasks are its workflow tasks, took is the time from start to end.
	tasks int
	took  time.Duration
	// keys are what its effects carried, without the run's id.
	keys map[deed]string
	// effects and inferences are how many requests tools and model got.
	effects, inferences int
}

var uncrashed struct {
	once sync.Once
	*reference
}

// longest and shortest are the lengths of the histories of trials.
var longest, shortest atomic.Int64

// theReference plays the scenario once without harm.
func theReference(t *testing.T) *reference {
	t.Helper()
	uncrashed.once.Do(func() {
		tr := newTrial(t, sharedSite(t))
		p := tr.worker()
		defer p.Kill9()
		began := time.Now()
		tr.start()
		require.True(t, tr.wait(), tr.violations)
		took := time.Since(began)
		require.NoError(t, tr.err)
		ref := &reference{transcript: tr.tell(), took: took, keys: map[deed]string{}}
		history := tr.whole()
		ref.events, ref.tasks = len(history), len(completedTasks(history))
		for d, effects := range tr.deeds() {
			require.Len(t, effects, 1, d)
			ref.keys[d] = tr.plain([]byte(effects[0].Key))
		}
		ref.effects, ref.inferences = len(ref.keys), len(tr.model.Requests())
		require.ElementsMatch(t, slices.Collect(maps.Keys(calls)), slices.Collect(maps.Keys(ref.keys)))
		require.Equal(t, "RUN/1/2", ref.keys[deed{pay, `{"n":3}`}])
		tr.checkSurvival(ref)
		require.Empty(t, tr.violations)
		require.Zero(t, tr.unknown)
		require.Len(t, tr.world.Sessions(), 1)
		uncrashed.reference = ref
	})
	require.NotNil(t, uncrashed.reference, "the reference run failed")
	return uncrashed.reference
}

func referenceEvents() int {
	if uncrashed.reference == nil {
		return 0
	}
	return uncrashed.events
}
