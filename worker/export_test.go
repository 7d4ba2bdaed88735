package worker

// Fail does what the SDK does to a worker that cannot go on. The SDK itself
// gives up only after two minutes of refusals.
func (w *Worker) Fail(err error) { w.fail(err) }
