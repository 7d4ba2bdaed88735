package activities

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/testsuite"

	"errand/tools"
	"errand/tools/item"
)

// named is an input whose items are all named.
func (f *fakeRun) named(from, length int) InferInput {
	in := f.input(from, length)
	names := make([]json.RawMessage, 0, len(in.Items))
	for _, it := range in.Items {
		names = append(names, item.RefItem(item.Ref(it)))
	}
	in.Items = names
	return in
}

func TestInferKnowsNamedItemsThatItsWorkerHad(t *testing.T) {
	t.Parallel()
	f, m := newRun(5), &echo{}
	f.perPage = 100
	env, a := inferEnv(t, f, m, 0)
	output := strings.Repeat("x", 2*item.RefFrom)
	a.keepOutput(tools.Call{ID: "c1"}, tools.Outcome{Output: output})
	f.items[4] = item.Output(item.TypeFunctionCallOutput, "c1", output)

	_, err := env.ExecuteActivity(a.Infer, f.input(0, 3))
	require.NoError(t, err)
	f.items[3] = item.Message("assistant", "3") // what the model has just said
	asked := f.asked.Load()
	_, err = env.ExecuteActivity(a.Infer, f.named(3, 5))
	require.NoError(t, err)
	require.Equal(t, asked, f.asked.Load(), "nothing had to be asked for")
	require.Equal(t, f.items, m.seen[1].Items)
}

func TestInferAsksForNamedItemsThatAnotherWorkerHad(t *testing.T) {
	t.Parallel()
	f, m := newRun(5), &echo{}
	f.perPage = 100
	env, a := inferEnv(t, f, m, 0)
	_, err := env.ExecuteActivity(a.Infer, f.input(0, 2))
	require.NoError(t, err)
	asked := f.asked.Load()
	f.items[2] = item.Message("assistant", "2")
	in := f.named(2, 5)
	_, err = env.ExecuteActivity(a.Infer, in)
	require.NoError(t, err)
	require.Equal(t, f.items, m.seen[1].Items)
	require.Equal(t, asked+1, f.asked.Load(), "one page has all that is missing")
}

func TestTheLargestOutputIsKept(t *testing.T) {
	t.Parallel()
	for _, largest := range []int{tools.MaxOutput, 8 << 20, 16 << 20} {
		p := Parts{Model: &echo{}, Engine: newRun(1), MaxOutput: largest}
		if largest == tools.MaxOutput {
			p.MaxOutput = 0
		}
		a, err := New(p)
		require.NoError(t, err)
		text, _ := tools.Cut(strings.Repeat("\n<", 16<<20), largest)
		a.keepOutput(tools.Call{ID: "c1"}, tools.Outcome{Output: text})
		require.NotZero(t, a.caches.items.Bytes(), largest)
	}
}

func TestSmallOutputsAreNotKept(t *testing.T) {
	t.Parallel()
	_, a := inferEnv(t, newRun(1), &echo{}, 0)
	a.keepOutput(tools.Call{ID: "c1"}, tools.Outcome{Output: "small"})
	require.Zero(t, a.caches.items.Bytes())
}

// counters are metrics that a test can read, by name and what they are of.
type counters struct {
	client.MetricsHandler
	mu     *sync.Mutex
	counts map[string]int64
	of     string
}

func (c counters) WithTags(tags map[string]string) client.MetricsHandler {
	c.of = tags["of"]
	return c
}

func (c counters) Counter(name string) client.MetricsCounter { return counter{c, name} }

type counter struct {
	counters
	name string
}

func (c counter) Inc(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != "" {
		c.counts[c.name+" "+c.of] += n
	}
}

func TestHitsAndMissesOfTheMemoryAreCounted(t *testing.T) {
	t.Parallel()
	f, m := newRun(4), &echo{}
	a, err := New(Parts{Model: m, Engine: f})
	require.NoError(t, err)
	counts := counters{MetricsHandler: client.MetricsNopHandler, mu: &sync.Mutex{}, counts: map[string]int64{}}
	var suite testsuite.WorkflowTestSuite
	suite.SetMetricsHandler(counts)
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(a)
	_, err = env.ExecuteActivity(a.Infer, f.input(0, 2))
	require.NoError(t, err)
	f.items[2] = item.Message("assistant", "2")
	in := f.input(2, 4)
	in.Items = nil
	_, err = env.ExecuteActivity(a.Infer, in)
	require.NoError(t, err)
	require.Equal(t, map[string]int64{
		"errand_memory_misses surface": 1, "errand_memory_hits surface": 1,
		"errand_memory_hits conversation": 1, "errand_memory_misses conversation": 1,
	}, counts.counts)
}
