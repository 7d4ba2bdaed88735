package starter

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
)

func (f *fake) GetWorkflowHistory(ctx context.Context, _, _ string, _ bool, _ enumspb.HistoryEventFilterType) client.HistoryEventIterator {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &fakeHistory{fake: f, ctx: ctx, execution: len(f.history) - 1}
}

// fakeHistory long-polls one execution.
type fakeHistory struct {
	*fake
	ctx                 context.Context
	execution, position int
}

func (h *fakeHistory) HasNext() bool {
	for {
		h.mu.Lock()
		changed := h.changed
		if h.broken {
			h.mu.Unlock()
			return true
		}
		more := h.position < len(h.history[h.execution]) && !h.deaf
		over := !h.deaf && (h.isClosed() || h.execution < len(h.history)-1)
		h.mu.Unlock()
		if more || over {
			return more
		}
		select {
		case <-h.ctx.Done():
			return true
		case <-changed:
		}
	}
}

func (h *fakeHistory) Next() (*historypb.HistoryEvent, error) {
	if h.ctx.Err() != nil {
		return nil, h.ctx.Err()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken {
		return nil, serviceerror.NewUnavailable("broken")
	}
	h.position++
	return &historypb.HistoryEvent{
		EventId: int64(h.position), EventType: h.history[h.execution][h.position-1],
	}, nil
}

func (f *fake) GetWorkflow(context.Context, string, string) client.WorkflowRun {
	return &fakeEnding{fake: f}
}

// fakeEnding waits for the end of the run.
type fakeEnding struct {
	client.WorkflowRun
	*fake
}

func (e *fakeEnding) Get(ctx context.Context, target any) error {
	e.mu.Lock()
	deaf := e.deaf
	e.deaf = false // it hears when it is asked again
	e.mu.Unlock()
	for {
		e.mu.Lock()
		changed, closed := e.changed, e.isClosed() && !deaf
		e.mu.Unlock()
		if closed {
			result, err := e.ending()
			if err != nil { // as it comes over the wire
				wire := temporal.GetDefaultFailureConverter()
				return wire.FailureToError(wire.ErrorToFailure(err))
			}
			return value(result).Get(target)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}
