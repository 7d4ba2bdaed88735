package activities

import (
	"context"

	"go.temporal.io/sdk/activity"
)

// Metrics of what a worker keeps between activities. The tag "of" says of what:
// conversation or surface. A miss costs one query or more.
const (
	MetricMemoryHits   = "errand_memory_hits"
	MetricMemoryMisses = "errand_memory_misses"
)

// remembered counts whether what an inference needs was held here.
func remembered(ctx context.Context, of string, held bool) {
	name := MetricMemoryMisses
	if held {
		name = MetricMemoryHits
	}
	activity.GetMetricsHandler(ctx).WithTags(map[string]string{"of": of}).Counter(name).Inc(1)
}
