// Package storage keeps large payloads outside of Temporal: what is over a
// threshold goes into a directory or into a bucket of an S3-compatible server, and
// history holds a reference.
//
// Everybody who reads or writes the payloads of a run needs the same storage:
// workers, the command errand, and services that start runs. A service passes it to
// its client:
//
//	external, err := storage.Open(ctx, storage.Config{Driver: storage.DriverDirectory, Directory: "/var/lib/errand/payloads"})
//	connected, err := client.Dial(client.Options{ExternalStorage: external})
//	runs := starter.New(connected, starter.LargeAnswers(8<<20))
//
// worker.LoadStorage reads the configuration from the same variables and file as
// a worker does, and worker.Dial opens it by itself.
//
// Nobody deletes what was stored: see docs/operations.md.
package storage
