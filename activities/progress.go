package activities

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"errand/tools"
	"errand/workflows/contract"
)

const (
	// progressEvery is how often at most one run is signalled by a worker:
	// signals are billed, and a run takes 10,000 of them.
	progressEvery = time.Second
	// maxUpdate bounds the text of one update.
	maxUpdate = 2000
)

// progress collects the updates of all running calls of this worker, and sends
// each run the latest of each call, at most once a second.
type progress struct {
	engine Engine
	mu     sync.Mutex
	runs   map[string]*pending
}

// pending are the updates of one run that were not sent yet.
type pending struct {
	latest map[[2]int]contract.ProgressUpdate
	// calls counts those that run; the sender ends with the last one.
	calls int
	done  chan struct{}
}

func newProgress(engine Engine) *progress {
	return &progress{engine: engine, runs: map[string]*pending{}}
}

// follow returns what a call reports to, and what ends the reporting. Updates
// after that are ignored, so none arrives after its call's outcome.
func (p *progress) follow(ctx context.Context, call tools.Call) (report func(string), end func()) {
	run := activity.GetInfo(ctx).WorkflowExecution
	place := [2]int{call.Round, call.Index}
	p.mu.Lock()
	defer p.mu.Unlock()
	mine, ok := p.runs[run.RunID]
	if !ok {
		mine = &pending{latest: map[[2]int]contract.ProgressUpdate{}, done: make(chan struct{})}
		p.runs[run.RunID] = mine
		go p.send(context.WithoutCancel(ctx), run.ID, run.RunID, mine)
	}
	mine.calls++
	ended := false
	report = func(text string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !ended {
			short, _ := tools.Cut(text, maxUpdate)
			mine.latest[place] = contract.ProgressUpdate{Round: call.Round, Index: call.Index, Text: short}
		}
	}
	end = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		ended = true
		delete(mine.latest, place)
		if mine.calls--; mine.calls == 0 {
			delete(p.runs, run.RunID)
			close(mine.done)
		}
	}
	return report, end
}

// send signals the run until its last call here has ended. A signal that is
// refused is dropped: the next one has newer updates.
func (p *progress) send(ctx context.Context, workflowID, runID string, mine *pending) {
	// The longer it goes on, the rarer the news: a run takes 10,000 signals.
	timer := time.NewTimer(progressEvery)
	defer timer.Stop()
	for sent := 1; ; sent++ {
		select {
		case <-mine.done:
			return
		case <-timer.C:
		}
		timer.Reset(progressEvery * time.Duration(1+sent/60))
		if updates := p.take(mine); len(updates) > 0 {
			limited, cancel := context.WithTimeout(ctx, 5*time.Second)
			_ = p.engine.SignalWorkflow(limited, workflowID, runID, contract.SignalProgress, updates)
			cancel()
		}
	}
}

func (p *progress) take(mine *pending) []contract.ProgressUpdate {
	p.mu.Lock()
	defer p.mu.Unlock()
	updates := make([]contract.ProgressUpdate, 0, len(mine.latest))
	for place, u := range mine.latest {
		updates = append(updates, u)
		delete(mine.latest, place)
	}
	return updates
}
