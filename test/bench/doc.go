// Package bench compares Errand's workflow Run with Minimal, the loop that an
// engineer would write by hand for the same job, so that what the engine costs
// is known. `make bench` runs it.
//
// Both do the same work on one server, in one process, with one client: the
// same scripted model (a Go function, no HTTP), tools that return the same
// bytes, workers that are tuned alike. They take turns, so that noise hits
// both; figures are medians. Minimal has Temporal's default retries and no
// more: it repeats a call whose worker was lost, whatever the call does, knows
// no cancelling of a call under way, and sends the whole conversation with
// every inference.
//
// In the table, three lines belong together: Errand, Minimal, and the
// difference (+) or ratio (×). A round is one inference and its calls; a run
// of ten rounds ends with one more inference, which calls nothing.
//
//   - events/round: of the round that had the fewest. Calls that end apart add
//     workflow tasks of three events to both engines, by chance.
//   - slope: events that one more round adds, from runs of 5 and of 20 rounds,
//     such tasks included.
//   - events/run, bytes: of the whole history. Bytes are those of
//     WorkflowExecutionInfo.HistorySizeBytes, which the server's limits count;
//     the protobuf sizes of the events add up to about 1 % less. A run of one
//     round shows what a run costs beside its rounds: its prompt for the Web
//     UI, the tools that were discovered, and the result with its traces.
//   - ms/round: from one inference to the next, over all rounds.
//   - ms/run: from started to closed, by the server's clock.
//
// A benchmark fails when, in runs of ten rounds, Errand has over one event a
// round more than Minimal (the marker of prepare), over 1.5 times its history,
// or over 1.25 times its time a round. Absolute times are never judged. A call
// of effect once costs one acknowledged heartbeat: the mark that it begins.
//
// A second table has runs of one to a hundred rounds beside Lean, which sends
// nothing of the conversation, and Minimal, which sends all of it; a third
// counts runs a second. Errand may have 1.5 times Lean's history, and 1.25 times
// its time.
//
// Two more tables have no limits: the answer of a client by update, beside a
// bare workflow that waits for the same update, and one batch as large as a
// run takes (prepared: from the answer that asked for it to its first call).
package bench
