package crash

import (
	"errors"
	"fmt"
	"time"

	"errand/starter"
	"errand/workflows/contract"
)

// serve answers the client calls of the run until its end, whatever happens to
// workers and server meanwhile.
func (tr *trial) serve() {
	for e, err := range tr.run.Follow(tr.ctx, 0) {
		if err != nil {
			return // closed from outside, or the trial is over
		}
		tr.told.mu.Lock()
		tr.told.events = append(tr.told.events, e)
		tr.told.mu.Unlock()
		if e.Type == contract.EventManifest {
			tr.client.Go(func() { tr.answer(e.ActionID, e.Tool) })
		}
	}
}

// shut keeps the client from answering until the channel is closed.
func (tr *trial) shut() chan struct{} {
	tr.desk = make(chan struct{})
	return tr.desk
}

// answer gives one answer until it is taken or refused.
func (tr *trial) answer(actionID, tool string) {
	if tr.desk != nil && !tr.comes(tr.desk) {
		return
	}
	answer := starter.Output(actionID, answers[tool])
	for {
		var err error
		if tool == sign {
			err = tr.site.client.SignalWorkflow(tr.ctx, tr.run.ID(), "", contract.ToolOutput, answer)
		} else {
			_, err = tr.run.Answer(tr.ctx, answer)
		}
		var refused *starter.RefusedError
		switch {
		case err == nil:
			return
		case errors.As(err, &refused), errors.Is(err, starter.ErrEnded), errors.Is(err, starter.ErrNotFound):
			tr.told.mu.Lock()
			tr.told.refused = append(tr.told.refused, fmt.Sprintf("%s: %v", actionID, err))
			tr.told.mu.Unlock()
			return
		}
		select {
		case <-tr.ctx.Done():
			return
		case <-tr.ended:
			return
		case <-time.After(again):
		}
	}
}
