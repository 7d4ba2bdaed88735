package tools

// Scope says for how long a source's tools need something open.
type Scope string

const (
	// ScopeNone needs nothing. An empty scope means the same.
	ScopeNone Scope = "none"
	// ScopeShared is one connection a worker, lent to every run.
	ScopeShared Scope = "shared"
	// ScopeRun is opened for one run, on its first call, and closed when the
	// run ends (CL-3, CL-5).
	ScopeRun Scope = "run"
)
