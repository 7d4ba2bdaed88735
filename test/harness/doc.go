// Package harness holds the doubles and the tools of the black-box tests, the
// benchmarks and the demo: a scripted model server, a second and independent
// one from npm (aimock), a Temporal dev server, child processes that die with
// their test, and waiting without sleeping.
//
// A scripted answer is a function of what a request says, never of how many
// requests came before. So runs may go on side by side, a retried inference
// gets the same answer byte for byte, and a failed test fails again.
package harness
