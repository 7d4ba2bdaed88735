// Package crash kills what a run depends on, again and again, and looks at the
// outside world afterwards. Real worker processes, a real Temporal server, a
// tool server that logs every effect with its key.
//
// One scenario is played once without harm: the reference. Then it is played
// again for every moment of a history (each of its events, each request that a
// tool or a model gets), something is done at that moment (a kill -9, a
// cancel, a reset, …), and the invariants are checked:
//
//   - a once effect took place at most once, an idempotent one exactly once,
//     each under the key of its call;
//   - no result is lost, the conversation is valid, the result is that of the
//     reference. The one difference allowed is a once call that was hit in the
//     middle: its outcome may be unknown, if the world has seen it once at
//     most;
//   - nothing is left open, and nothing happens after the end.
//
// go test plays a few moments of each; make crash (the flag -full) plays all
// of them, and prints a table. Random moments come from seeds, which are the
// names of their subtests: -seed and -runs play them again.
package crash
