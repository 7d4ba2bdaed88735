package crash

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"errand/test/harness"
)

// How much is played. Without flags it is what fits beside all other tests.
var (
	full  = flag.Bool("full", false, "play every moment, and print the table")
	seed  = flag.Uint64("seed", 0, "the first seed of the random moments; 0: by the clock")
	runs  = flag.Int("runs", 0, "how many random moments; 0: 200 with -full, else 3")
	width = flag.Int("width", 12, "how many runs are played at the same time")
)

func TestMain(m *testing.M) {
	flag.Parse()
	// The tests wait most of the time, for heartbeats that do not come.
	if err := flag.Set("test.parallel", "32"); err != nil {
		panic(err)
	}
	if *seed == 0 {
		*seed = uint64(time.Now().UnixMilli())
	}
	if *runs == 0 {
		*runs = 3
		if *full {
			*runs = 200
		}
	}
	places = make(chan struct{}, *width)
	code := m.Run()
	if *full || testing.Verbose() {
		board.print(os.Stdout)
		_, _ = fmt.Fprintf(os.Stdout, "\nseeds from %d on; play one again with: go test ./test/crash -run AtRandomInstants -seed <seed> -runs 1\n", *seed)
	}
	harness.StopShared()
	os.Exit(code)
}

// places bound how many runs are played at the same time.
var places chan struct{}
