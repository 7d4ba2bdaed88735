package bench

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rate starts so many runs, a bounded number at once, and returns how many end
// in a second.
func (s *stage) rate(b *testing.B, e engine, j job, runs int) float64 {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), 5*patience)
	defer cancel()
	var wg sync.WaitGroup
	places := make(chan struct{}, concurrency)
	errs := make(chan error, runs)
	begin := time.Now()
	for range runs {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			id := newID(e)
			err := e.start(ctx, id, j)
			if err == nil {
				_, err = s.finish(ctx, id)
			}
			errs <- err
		})
	}
	wg.Wait()
	took := time.Since(begin)
	close(errs)
	for err := range errs {
		require.NoError(b, err)
	}
	return float64(runs) / took.Seconds()
}
