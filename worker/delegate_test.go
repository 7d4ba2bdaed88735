package worker_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/tools"
	"errand/worker"
)

func TestDelegateIsCheckedWhereItIsAskedFor(t *testing.T) {
	t.Parallel()
	model := worker.WithModel(silent{})
	config := worker.DefaultConfig()
	_, err := worker.New(config, model, worker.WithDelegate(0))
	require.ErrorContains(t, err, "WithDelegate: the depth is 0: give one from 1 to 10")
	config.Delegate.MaxDepth = 11
	_, err = worker.New(config, model)
	require.ErrorContains(t, err, "delegate.max_depth: 11")
	config.Delegate.MaxDepth = 1
	own := worker.Tool{Name: "delegate", Execute: func(context.Context, tools.Invocation) (tools.Output, error) { return tools.Output{}, nil }}
	_, err = worker.New(config, model, worker.WithTools(own))
	require.ErrorContains(t, err, `another tool has the name "delegate"`)
}
