package show_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/show"
	"errand/tools"
	"errand/workflows/contract"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }

// events are those of a run with one call of each kind.
func events() []contract.Event {
	three := 3
	return []contract.Event{
		{Type: contract.EventRunStart, At: at(0), Status: "in_progress"},
		{Type: contract.EventRoundStart, At: at(1), Round: 1},
		{Type: contract.EventMessage, At: at(900), Round: 1, Size: 1600},
		{Type: contract.EventToolStart, At: at(1000), Round: 1, ToolCallID: "call_a", Tool: "read_file", Owner: tools.OwnedByGateway, Size: 1234},
		{Type: contract.EventToolStart, At: at(1000), Round: 1, ToolCallID: "call_b", Tool: "lookup", Owner: tools.OwnedByClient, Size: 2},
		{Type: contract.EventApprovalAsked, At: at(1001), Round: 1, ToolCallID: "call_a", Tool: "read_file", ApprovalID: "apr_1_0", Reason: "outside the root"},
		{Type: contract.EventManifest, At: at(1001), Round: 1, ToolCallID: "call_b", Tool: "lookup", ActionID: "act_1_1"},
		{Type: contract.EventToolUpdate, At: at(1100), Round: 1, ToolCallID: "call_a", Tool: "read_file", Text: "50 %"},
		{Type: contract.EventRejected, At: at(1200), Round: 1, Reason: `tool_output: unknown action_id "act_9_9"`},
		{Type: contract.EventToolEnd, At: at(2250), Round: 1, ToolCallID: "call_a", Tool: "read_file", Status: "succeeded", Size: 2048},
		{Type: contract.EventToolEnd, At: at(63000), Round: 1, ToolCallID: "call_b", Tool: "lookup", Status: "failed", ErrorType: "ExecutionFailed", Size: 40},
		{Type: contract.EventToolResult, At: at(63000), Round: 1, ToolCallID: "call_a", Tool: "read_file", Item: &three},
		{Type: contract.EventRoundEnd, At: at(63000), Round: 1},
		{Type: "new_kind", At: at(63000), Round: 1},
		{Type: contract.EventRunEnd, At: at(63000), Round: 1, Status: "incomplete", Reason: "max_rounds"},
	}
}

const progress = `run started
round 1
  · message, 1.6 KiB
  → read_file (call_a), arguments 1.2 KiB
  → lookup (call_b), for the client
  ? read_file (call_a) waits for approval: apr_1_0: outside the root
  ? lookup (call_b) waits for an answer: act_1_1
  … read_file (call_a) 50 %
  ! rejected: tool_output: unknown action_id "act_9_9"
  ✓ read_file (call_a) succeeded: 2.0 KiB, 1.2 s
  ✗ lookup (call_b) failed: ExecutionFailed, 40 B, 1 min 2 s
  ← result of read_file (call_a) is item 3
  · new_kind
run incomplete after 1 min 3 s: max_rounds
`

func TestEveryEventIsOneReadableLine(t *testing.T) {
	t.Parallel()
	var p show.Progress
	require.Equal(t, progress, lines(&p))
}

func TestBriefProgressLeavesOutWhatFollows(t *testing.T) {
	t.Parallel()
	p := show.Progress{Brief: true}
	want := strings.Replace(progress, "  ← result of read_file (call_a) is item 3\n", "", 1)
	want = strings.Replace(want, "run incomplete after 1 min 3 s: max_rounds\n", "", 1)
	require.Equal(t, want, lines(&p))
	require.Equal(t, "run completed after 1 min 4 s", p.Line(contract.Event{Type: contract.EventRunEnd, At: at(64000), Status: "completed"}))
}

func TestProgressCanTellTheTime(t *testing.T) {
	t.Parallel()
	p := show.Progress{Clock: time.FixedZone("", 3600)}
	require.Equal(t, "13:00:00  run started", p.Line(events()[0]))
}

func TestColourAddsNothingButColour(t *testing.T) {
	t.Parallel()
	p := show.Progress{Paint: show.Paint{On: true}}
	coloured := lines(&p)
	require.Contains(t, coloured, "\x1b[32m✓\x1b[0m")
	require.Contains(t, coloured, "\x1b[31m✗\x1b[0m")
	for strings.Contains(coloured, "\x1b[") {
		before, after, _ := strings.Cut(coloured, "\x1b[")
		_, rest, _ := strings.Cut(after, "m")
		coloured = before + rest
	}
	require.Equal(t, progress, coloured)
}

func TestWhatAModelWritesCannotCommandTheTerminal(t *testing.T) {
	t.Parallel()
	var p show.Progress
	line := p.Line(contract.Event{Type: contract.EventToolStart, Tool: "a\x1b[2Jb\nc\u202ed", ToolCallID: "x\r\ny\u009b"})
	require.Equal(t, "  → a␛[2Jb c\uFFFDd (x y\uFFFD)", line)
	require.Equal(t, "one\n\ttwo␇", show.Block("one\r\n\ttwo\a"))
}

func lines(p *show.Progress) string {
	var all strings.Builder
	for _, e := range events() {
		if line := p.Line(e); line != "" {
			all.WriteString(line + "\n")
		}
	}
	return all.String()
}

func TestEventsBesideCallsSayWhatHappened(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]contract.Event{
		"  · tools of db: failed: no answer":                                     {Type: contract.EventListTools, Server: "db", Status: "failed", Reason: "no answer"},
		"  · conversation made shorter for the model: it has reached compact_at": {Type: contract.EventCompaction, Reason: "it has reached compact_at"},
		"  ? the budget is used up (max_cost): waits for a larger one":           {Type: contract.EventBudgetAsked, Reason: "max_cost"},
		"  · budget extended by ada: worth it":                                   {Type: contract.EventBudgetSettled, Status: "extended", Actor: "ada", Reason: "worth it"},
		"  · something new":                                                      {Type: "something new"},
	} {
		p := show.Progress{}
		require.Equal(t, want, p.Line(e))
	}
}
