package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
)

// whole is the history of the run through all of its executions.
func (tr *trial) whole() []*historypb.HistoryEvent {
	tr.t.Helper()
	var all []*historypb.HistoryEvent
	for execution := tr.first; execution != ""; {
		part := tr.history(execution)
		all = append(all, part...)
		execution = next(part[len(part)-1])
	}
	return all
}

// history reads the events of an execution, without waiting.
func (tr *trial) history(execution string) []*historypb.HistoryEvent {
	tr.t.Helper()
	var all []*historypb.HistoryEvent
	pages := tr.site.client.GetWorkflowHistory(tr.ctx, tr.run.ID(), execution, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for pages.HasNext() {
		e, err := pages.Next()
		require.NoError(tr.t, err)
		all = append(all, e)
	}
	return all
}

// lastEvents is the end of the run's history, to explain why it stands still.
func (tr *trial) lastEvents() string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tr.ctx), 10*time.Second)
	defer cancel()
	var last []string
	pages := tr.site.client.GetWorkflowHistory(ctx, tr.run.ID(), "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for pages.HasNext() {
		e, err := pages.Next()
		if err != nil {
			return err.Error()
		}
		last = append(last, fmt.Sprintf("%d %s", e.GetEventId(), e.GetEventType()))
	}
	text, err := json.Marshal(last[max(0, len(last)-8):])
	if err != nil {
		return err.Error()
	}
	return string(text)
}
