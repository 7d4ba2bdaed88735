package mcp

// Logger takes what servers write and what goes wrong with them. A logger of
// the Temporal SDK is one.
type Logger interface {
	Debug(message string, keyvals ...any)
	Info(message string, keyvals ...any)
	Warn(message string, keyvals ...any)
}

type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
