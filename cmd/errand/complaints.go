package main

import (
	"fmt"
	"sync"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"errand/cmd/errand/show"
)

// complaints tells people what a starter logs as a warning. What was told last
// is not told again.
type complaints struct {
	tell   func(line string)
	fields []zapcore.Field
	told   *toldLast
}

type toldLast struct {
	mu   sync.Mutex
	line string
}

// Enabled implements zapcore.Core.
func (*complaints) Enabled(level zapcore.Level) bool { return level >= zap.WarnLevel }

// With implements zapcore.Core.
func (c *complaints) With(fields []zapcore.Field) zapcore.Core {
	return &complaints{tell: c.tell, told: c.told, fields: append(c.fields[:len(c.fields):len(c.fields)], fields...)}
}

// Check implements zapcore.Core. A failed call is reported as such already.
func (c *complaints) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if !c.Enabled(entry.Level) || entry.Message == "a call failed" {
		return checked
	}
	return checked.AddCore(entry, c)
}

// Write implements zapcore.Core.
func (c *complaints) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	values := zapcore.NewMapObjectEncoder()
	for _, field := range append(c.fields[:len(c.fields):len(c.fields)], fields...) {
		field.AddTo(values)
	}
	line := "warning: " + entry.Message
	if run, known := values.Fields["run_id"].(string); known {
		line += " (run " + run + ")"
	}
	if err, known := values.Fields["error"]; known {
		line += fmt.Sprintf(": %v", err)
	}
	line = show.Line(line)
	c.told.mu.Lock()
	defer c.told.mu.Unlock()
	if line != c.told.line {
		c.told.line = line
		c.tell(line)
	}
	return nil
}

// Sync implements zapcore.Core.
func (*complaints) Sync() error { return nil }
