package workflows

import (
	"encoding/json"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
)

// takeProgress publishes the partial results that workers report. What does
// not fit a running call is ignored: it is late, or nobody's.
func (r *run) takeProgress(ctx workflow.Context) {
	channel := workflow.GetSignalChannel(ctx, activities.SignalProgress)
	for {
		var payload converter.RawValue
		channel.Receive(ctx, &payload)
		r.execution.signals++
		var updates []activities.Update
		if json.Unmarshal(payload.Payload().GetData(), &updates) != nil {
			continue
		}
		for _, u := range updates {
			r.publish(ctx, u)
		}
	}
}

func (r *run) publish(ctx workflow.Context, u activities.Update) {
	if u.Round != r.round || u.Index < 0 || u.Index >= len(r.running) {
		return
	}
	c := r.running[u.Index]
	if c.settled() || !c.started {
		return
	}
	if c.update > 0 {
		r.journal.blank(c.update)
	}
	c.update = r.journal.add(ctx, Event{
		Type: EventToolUpdate, ToolCallID: c.ID, Tool: c.Tool, Owner: c.tool.Owner, Text: short(u.Text), Size: len(u.Text),
	})
}
