package worker_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"errand/worker"
)

func observed(opts ...zap.Option) (log.Logger, *observer.ObservedLogs) {
	core, logs := observer.New(zapcore.DebugLevel)
	return worker.TemporalLogger(zap.New(core, opts...)), logs
}

func TestTemporalLevelsBecomeZapLevels(t *testing.T) {
	t.Parallel()
	logger, logs := observed()
	for level, write := range map[zapcore.Level]func(string, ...any){
		zapcore.DebugLevel: logger.Debug, zapcore.InfoLevel: logger.Info,
		zapcore.WarnLevel: logger.Warn, zapcore.ErrorLevel: logger.Error,
	} {
		write("said", "RunID", "r1", "Attempt", 2, "Error", errors.New("broken"))
		got := logs.TakeAll()
		require.Len(t, got, 1)
		require.Equal(t, level, got[0].Level)
		require.Equal(t, "said", got[0].Message)
		require.Equal(t, map[string]any{"RunID": "r1", "Attempt": int64(2), "Error": "broken"}, got[0].ContextMap())
	}
}

func TestWithKeepsTheOriginalAsItWas(t *testing.T) {
	t.Parallel()
	logger, logs := observed()
	child := log.With(logger, "Namespace", "default")
	child.Info("child", "a", 1)
	logger.Info("parent")
	require.Equal(t, map[string]any{"Namespace": "default", "a": int64(1)}, logs.All()[0].ContextMap())
	require.Empty(t, logs.All()[1].ContextMap())
}

func TestOddKeyValuesNeverPanic(t *testing.T) {
	t.Parallel()
	// In development zap turns its own complaints into panics.
	logger, logs := observed(zap.Development())
	logger.Info("no value", "key")
	logger.Info("no string", 7, "x", nil)
	logger.Info("a field among them", zap.Int("n", 1), "k", "v")
	logger.Info("nothing")
	log.With(logger, "dangling").Info("with")
	var got []map[string]any
	for _, entry := range logs.All() {
		got = append(got, entry.ContextMap())
	}
	require.Equal(t, []map[string]any{
		{"key": "(no value)"},
		{"7": "x", "<nil>": "(no value)"},
		{"n": int64(1), "k": "v"},
		{},
		{"dangling": "(no value)"},
	}, got)
}

func TestCallerIsTheLineThatLogged(t *testing.T) {
	t.Parallel()
	logger, logs := observed(zap.AddCaller())
	logger.Info("here")
	wrapped := func(l log.Logger) { l.Info("there") }
	wrapped(log.Skip(logger, 1))
	for _, entry := range logs.All() {
		require.Contains(t, entry.Caller.TrimmedPath(), "worker/logger_test.go")
	}
	require.Equal(t, logs.All()[0].Caller.Line+2, logs.All()[1].Caller.Line)
}

func TestErrorsAreLoggedWithoutAStack(t *testing.T) {
	t.Parallel()
	logger, err := worker.NewLogger(worker.Log{Level: "debug", Format: "json"})
	require.NoError(t, err)
	require.Empty(t, logger.Check(zap.ErrorLevel, "an activity failed").Stack)
	require.NotEmpty(t, logger.Check(zap.DPanicLevel, "this cannot be").Stack)
}
