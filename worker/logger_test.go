package worker_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"errand/worker"
)

func TestErrorsAreLoggedWithoutAStack(t *testing.T) {
	t.Parallel()
	logger, err := worker.NewLogger(worker.Log{Level: "debug", Format: "json"})
	require.NoError(t, err)
	require.Empty(t, logger.Check(zap.ErrorLevel, "an activity failed").Stack)
	require.NotEmpty(t, logger.Check(zap.DPanicLevel, "this cannot be").Stack)
}
