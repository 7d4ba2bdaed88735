// Package devserver finds, builds and runs a Temporal development server as a
// child process. `errand dev`, the tests and the benchmarks start their server
// here, all with the same settings: a dev server left at its defaults spends
// 50 ms on every hop, this one a few.
//
// It is not for production: what it starts is `temporal server start-dev`.
package devserver
