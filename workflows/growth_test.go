package workflows

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhenARunContinuesInANewExecution(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		growth
		want course
	}{
		"a young execution":                {growth{moved: true, events: 100, bytes: 9000, carried: 500}, stay},
		"the server suggests it":           {growth{moved: true, bytes: 9000, carried: 500, suggested: true}, renew},
		"nothing has happened yet":         {growth{bytes: 9000, suggested: true, limit: 1, events: 5}, stay},
		"it is mostly what it began with":  {growth{moved: true, bytes: 3 << 20, carried: 2 << 20, suggested: true}, stay},
		"the run's own limit":              {growth{moved: true, events: 40, limit: 40}, renew},
		"under the run's own limit":        {growth{moved: true, events: 39, limit: 40}, stay},
		"many signals":                     {growth{moved: true, signals: manySignals}, renew},
		"many updates":                     {growth{moved: true, updates: manyUpdates}, renew},
		"many events, and no suggestion":   {growth{moved: true, events: manyEvents}, renew},
		"many bytes, and no suggestion":    {growth{moved: true, bytes: manyBytes}, renew},
		"it did not fit":                   {growth{moved: true, bytes: 9 << 19, suggested: true, unfit: 4 << 20}, stay},
		"it did not fit and has grown":     {growth{moved: true, bytes: 5 << 20, suggested: true, unfit: 3 << 20}, renew},
		"it never fits: too many bytes":    {growth{moved: true, bytes: tooManyBytes, unfit: 4 << 20}, giveUp},
		"it never fits: too many events":   {growth{moved: true, events: tooManyEvents, bytes: 1, unfit: 4 << 20}, giveUp},
		"close to the end, and not tried":  {growth{moved: true, events: tooManyEvents, bytes: tooManyBytes}, renew},
		"it waits and nothing has changed": {growth{events: tooManyEvents, bytes: tooManyBytes, unfit: 1}, stay},
	} {
		require.Equal(t, c.want, c.course(), name)
	}
}
