package worker

// Loaded is the configuration without where it came from.
func (c Config) Loaded() Config {
	c.environ = nil
	return c
}

// Fail does what the SDK does to a worker that cannot go on. The SDK itself
// gives up only after two minutes of refusals.
func (w *Worker) Fail(err error) { w.fail(err) }
