package workflows

import (
	"encoding/json"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/workflows/contract"
)

// takeProgress publishes the partial results that workers report. What does
// not fit a running call is ignored: it is late, or nobody's.
func (r *run) takeProgress(ctx workflow.Context) {
	channel := workflow.GetSignalChannel(ctx, contract.SignalProgress)
	for {
		var payload converter.RawValue
		channel.Receive(ctx, &payload)
		r.execution.signals++
		var updates []contract.ProgressUpdate
		if json.Unmarshal(payload.Payload().GetData(), &updates) != nil {
			continue
		}
		for _, u := range updates {
			r.publish(ctx, u)
		}
	}
}

func (r *run) publish(ctx workflow.Context, u contract.ProgressUpdate) {
	if u.Round != r.Round || u.Index < 0 || u.Index >= len(r.Running) {
		return
	}
	c := r.Running[u.Index]
	if c.Settled() || !c.Started {
		return
	}
	if c.Update > 0 {
		r.Journal.Blank(c.Update)
	}
	c.Update = r.record(ctx, contract.Event{
		Type: contract.EventToolUpdate, ToolCallID: c.ID, Tool: c.Tool, Owner: c.Descriptor.Owner, Text: short(u.Text), Size: len(u.Text),
	})
}
