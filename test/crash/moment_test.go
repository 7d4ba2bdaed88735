package crash

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
)

// moment is when something is done to a run. wait returns true when it has
// come, and false if the run ended before.
type moment struct {
	name string
	wait func(tr *trial) bool
}

// What is counted besides the events of a history.
const (
	arrives  = "effect arrives"
	answered = "effect answered"
	asked    = "model asked"
)

// points counts what happens around a run.
type points struct {
	mu    sync.Mutex
	count map[string]int
	gates map[string]chan struct{}
}

func (p *points) gate(key string) chan struct{} {
	if p.count == nil {
		p.count, p.gates = map[string]int{}, map[string]chan struct{}{}
	}
	if p.gates[key] == nil {
		p.gates[key] = make(chan struct{})
	}
	return p.gates[key]
}

func (p *points) pass(kind string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gate(kind)
	p.count[kind]++
	close(p.gate(fmt.Sprint(kind, p.count[kind])))
}

func (p *points) at(kind string, n int) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gate(fmt.Sprint(kind, n))
}

// atEvent is when the history has n events.
func atEvent(n int) moment {
	return moment{fmt.Sprintf("event %d", n), func(tr *trial) bool { return tr.sees(int64(n)) }}
}

// atPoint is when something happens for the nth time.
func atPoint(kind string, n int) moment {
	return moment{fmt.Sprintf("%s %d", kind, n), func(tr *trial) bool { return tr.comes(tr.points.at(kind, n)) }}
}

// after is some time after the last moment.
func after(d time.Duration) moment {
	return moment{d.String(), func(tr *trial) bool {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return true
		case <-tr.ended:
			return false
		}
	}}
}

func (tr *trial) comes(gate <-chan struct{}) bool {
	select {
	case <-gate:
		return true
	case <-tr.ended:
	case <-tr.ctx.Done():
	}
	return false
}

// sees long-polls the run's history for its nth event. A run that goes on in
// further executions is counted through.
func (tr *trial) sees(n int64) bool {
	execution, before := tr.first, int64(0)
	for tr.ctx.Err() == nil {
		last, err := tr.poll(execution, n-before)
		switch {
		case err != nil: // the server is away
			continue
		case before+last.GetEventId() >= n:
			return true
		}
		before += last.GetEventId()
		if execution = next(last); execution == "" {
			return false
		}
	}
	return false
}

// poll waits for an event of an execution, or for its last one.
func (tr *trial) poll(execution string, n int64) (last *historypb.HistoryEvent, err error) {
	pages := tr.site.client.GetWorkflowHistory(tr.ctx, tr.run.ID(), execution, true, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for pages.HasNext() {
		if last, err = pages.Next(); err != nil || last.GetEventId() >= n {
			return last, err
		}
	}
	return last, nil
}

// next is the execution that a run goes on in after this event; empty if that
// is not how it ended.
func next(last *historypb.HistoryEvent) string {
	return last.GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
}

// every gives the moments 1 to n of a kind: all of them with -full, else about
// as many as few, spread evenly.
func every(n, few int, make func(int) moment) []moment {
	step := 1
	if !*full {
		step = max(1, n/max(1, few))
	}
	var all []moment
	for i := step/2 + 1; i <= n; i += step {
		all = append(all, make(i))
	}
	return all
}

// seeded gives the seeds of random moments, as moments that are over at once.
func seeded() []moment {
	all := make([]moment, *runs)
	for i := range all {
		all[i] = moment{name: fmt.Sprintf("seed %d", *seed+uint64(i))}
	}
	return all
}

// random is the source of a seeded moment.
func (m moment) random() *rand.Rand {
	var seed uint64
	_, _ = fmt.Sscanf(m.name, "seed %d", &seed)
	return rand.New(rand.NewPCG(seed, 0))
}
