package workflows

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/contract"
)

func TestDetailsShowAClaimUntilItsLeaseEnds(t *testing.T) {
	t.Parallel()
	now := time.Now()
	r := &run{id: "run_1"}
	a := r.Ledger.Open(&actions.Call{Call: tools.Call{Tool: "ask", Arguments: "{}"}})
	a.Status, a.Owner, a.Lease = contract.ActionProcessing, "host|1", now
	for at, want := range map[time.Time]string{
		now.Add(-time.Second): "| processing by host¦1 |",
		now:                   "| pending |",
	} {
		var b strings.Builder
		r.detailActions(&b, at)
		require.Contains(t, b.String(), want)
	}
}
