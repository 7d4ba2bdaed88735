package worker

import (
	"fmt"

	"go.temporal.io/sdk/log"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"errand/worker/config"
)

// NewLogger builds the logger that the configuration describes.
func NewLogger(l Log) (*zap.Logger, error) {
	if err := config.NewError("the configuration", l.Faults()); err != nil {
		return nil, err
	}
	level, err := zapcore.ParseLevel(l.Level)
	if err != nil {
		return nil, err
	}
	shape := zap.NewProductionEncoderConfig()
	shape.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	shape.EncodeDuration = zapcore.StringDurationEncoder
	// Nothing is sampled: what a worker repeats is what somebody looks for. An
	// activity that fails is no fault of the line that logs it; what panics
	// brings a stack of its own.
	return zap.Config{
		Level: zap.NewAtomicLevelAt(level), Encoding: l.Format, EncoderConfig: shape, DisableStacktrace: true,
		OutputPaths: []string{"stderr"}, ErrorOutputPaths: []string{"stderr"},
	}.Build(zap.AddStacktrace(zap.DPanicLevel))
}

var (
	_ log.Logger          = temporalLogger{}
	_ log.WithLogger      = temporalLogger{}
	_ log.WithSkipCallers = temporalLogger{}
)

// TemporalLogger lets the Temporal SDK, workflows and activities log to zap.
func TemporalLogger(logger *zap.Logger) log.Logger {
	// One frame is this adapter's own.
	return temporalLogger{logger.WithOptions(zap.AddCallerSkip(1))}
}

type temporalLogger struct{ zap *zap.Logger }

// Debug logs at zap's debug level.
func (l temporalLogger) Debug(msg string, keyvals ...any) { l.zap.Debug(msg, fields(keyvals)...) }

// Info logs at zap's info level.
func (l temporalLogger) Info(msg string, keyvals ...any) { l.zap.Info(msg, fields(keyvals)...) }

// Warn logs at zap's warn level.
func (l temporalLogger) Warn(msg string, keyvals ...any) { l.zap.Warn(msg, fields(keyvals)...) }

// Error logs at zap's error level.
func (l temporalLogger) Error(msg string, keyvals ...any) { l.zap.Error(msg, fields(keyvals)...) }

// With returns a logger that adds keyvals to every entry.
func (l temporalLogger) With(keyvals ...any) log.Logger {
	return temporalLogger{l.zap.With(fields(keyvals)...)}
}

// WithCallerSkip returns a logger that looks skip frames further up for the
// line which logged.
func (l temporalLogger) WithCallerSkip(skip int) log.Logger {
	return temporalLogger{l.zap.WithOptions(zap.AddCallerSkip(skip))}
}

// fields pairs keys and values. zap's own sugar panics in development on a key
// without a value; a log line is no reason to fail a run's task.
func fields(keyvals []any) []zap.Field {
	all := make([]zap.Field, 0, (len(keyvals)+1)/2)
	for len(keyvals) > 0 {
		if field, ok := keyvals[0].(zap.Field); ok {
			all, keyvals = append(all, field), keyvals[1:]
			continue
		}
		key, ok := keyvals[0].(string)
		if !ok {
			key = fmt.Sprint(keyvals[0])
		}
		if len(keyvals) == 1 {
			return append(all, zap.String(key, "(no value)"))
		}
		all, keyvals = append(all, zap.Any(key, keyvals[1])), keyvals[2:]
	}
	return all
}
