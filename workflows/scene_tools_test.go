package workflows_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"errand/activities"
	"errand/activities/model"
	"errand/activities/session"
	"errand/tools"
	"errand/tools/delegate"
	"errand/tools/item"
	"errand/workflows/contract"
)

// sceneSource is the tools of a scene and what is opened for it. They live as long as
// the scene: longer than any execution of its run.
type sceneSource struct {
	source
	p *playing
}

// Describe has a tool that works in something opened for the run.
func (s sceneSource) Describe(name string) (tools.Descriptor, bool) {
	d, ok := s.source.Describe(name)
	if name == "desk" {
		d.Scope = tools.ScopeRun
	}
	return d, ok
}

// prop is one session.
type prop struct {
	p    *playing
	name string
	key  session.ID
	// gone is true once its worker has given it up: closing it has no effect then.
	gone   bool
	closed int
}

// Open refuses now and then.
func (s sceneSource) Open(_ context.Context, o tools.SessionSpec) (tools.Session, error) {
	s.p.bench.mu.Lock()
	defer s.p.bench.mu.Unlock()
	one := &prop{
		p: s.p, name: fmt.Sprintf("%s %s %d", o.RunID, o.Source, o.Epoch),
		key: session.ID{RunID: o.RunID, Source: o.Source, Epoch: o.Epoch},
	}
	if s.p.dice(one.name)%4 == 0 {
		return nil, errors.New("no room for " + one.name)
	}
	s.p.sessions = append(s.p.sessions, one)
	return one, nil
}

func (s *prop) Execute(ctx context.Context, name string, call tools.Invocation) (tools.Output, error) {
	return s.p.tools[name](ctx, call)
}

func (s *prop) Close(context.Context) error {
	s.p.bench.mu.Lock()
	defer s.p.bench.mu.Unlock()
	if !s.gone {
		s.closed++
	}
	return nil
}

// sceneEngine is the engine of a scene: it takes word to the Cleanup of a run.
type sceneEngine struct {
	noEngine
	p *playing
}

func (e sceneEngine) SignalWorkflow(_ context.Context, id, _, signal string, payload any) error {
	b := e.p.bench
	if held, is := payload.(session.Location); is && signal == session.SignalOpening {
		b.mu.Lock()
		e.p.keepers[held.Session] = id
		b.mu.Unlock()
	}
	b.RegisterDelayedCallback(func() { _ = b.SignalWorkflowByID(id, signal, payload) }, 0) // in the loop of the bench
	return nil
}

// worker is the one that plays a scene through.
func (p *playing) worker() *activities.Activities {
	p.tools = p.platform()
	acts, err := activities.New(activities.Parts{
		Model: noModel{}, Engine: sceneEngine{p: p}, Hooks: p.hooks(), Sessions: session.NewManager("own", 200, sceneEngine{p: p}),
		Sources: map[string]activities.Source{tools.SourcePlatform: sceneSource{p.tools, p}, tools.SourceDelegate: delegate.New(1)},
		Price:   func(string) (model.Price, bool) { return model.Price{}, true },
	})
	require.NoError(p.t, err)
	return acts
}

// platform are tools that say what they were called with. Some things happen
// while they run.
func (p *playing) platform() source {
	s := source{}
	for _, name := range []string{"a", "b", "guarded", "exclusive", "sequential", "desk"} {
		s[name] = func(_ context.Context, c tools.Invocation) (tools.Output, error) {
			p.bench.mu.Lock()
			defer p.bench.mu.Unlock()
			p.keys = append(p.keys, c.Key)
			if below := strings.Contains(c.Key, "//"); !below { // a cancel takes its time to get to a delegated run
				p.meanwhile(c.Key)
			}
			return tools.Output{
				Content: name + " of " + string(c.Arguments), IsError: p.dice(c.Key)%5 == 0,
				Changes: []tools.Change{{Resource: c.Key, Kind: "touched"}},
			}, nil
		}
	}
	return s
}

// word begins every message to a run.
const word = "word: "

// meanwhile is what comes from outside while a tool runs, or the model thinks.
func (p *playing) meanwhile(words ...any) {
	send := func(name, payload string) { p.bench.SignalWorkflow(name, json.RawMessage(payload)) }
	switch p.dice(append(words, "meanwhile")...) % 30 {
	case 0, 1:
		p.sent++
		send(contract.SendMessage, `{"content":"`+word+`meanwhile"}`)
	case 2:
		send(contract.StopRun, `{"mode":"after_tools","actor":"eva"}`)
	case 3:
		send(contract.StopRun, `{"mode":"after_round","reason":"enough"}`)
	case 4:
		p.bench.CancelWorkflow()
	}
}

// shorten stands in for Compact: the model of a scene has no memory.
func (p *playing) shorten(_ context.Context, in activities.CompactInput) (activities.CompactResult, error) {
	p.bench.mu.Lock()
	defer p.bench.mu.Unlock()
	p.compactions = append(p.compactions, fmt.Sprintf("%d %d %s %d %d %s", in.Round, in.Length, in.Digest, in.Tokens, in.Aim, in.Surface))
	if p.dice(in.Round, in.Length, "compact")%4 == 0 {
		return activities.CompactResult{Notes: []string{"nothing can be dropped"}}, nil
	}
	return activities.CompactResult{
		Item: item.Message("developer", fmt.Sprintf("%d items before", in.Length)), Tokens: in.Aim, Dropped: in.Length - 1,
	}, nil
}

// stage makes the bench of the next execution.
func (p *playing) stage() *bench {
	b := newBenchOf(p.t, p.acts)
	p.bench = b
	b.answers, b.below = p.script(), p.below
	b.SetDetachedChildWait(false) // a Cleanup waits for its successor, which is on another bench
	b.SetOnActivityCompletedListener(nil)
	b.OnActivity(p.acts.Compact, mock.Anything, mock.Anything).Return(p.shorten)
	return b
}

// giveUp has the worker close what it holds for the run, if it does.
func (p *playing) giveUp() bool {
	p.bench.mu.Lock()
	defer p.bench.mu.Unlock()
	for _, s := range p.sessions {
		if s.gone || s.closed > 0 || delegatedAt(s.key.RunID) != "" {
			continue
		}
		s.gone, s.closed = true, 1
		p.bench.SignalWorkflow(session.SignalClosed, session.Closed{Location: session.Location{Session: s.key, Queue: "own"}})
		_ = p.bench.SignalWorkflowByID(p.keepers[s.key], session.SignalClosed, session.Closed{Location: session.Location{Session: s.key, Queue: "own"}})
		return true
	}
	return false
}

// requireClosed: what was opened was closed, once.
func (p *playing) requireClosed(t *testing.T) {
	t.Helper()
	p.bench.mu.Lock()
	defer p.bench.mu.Unlock()
	for _, s := range p.sessions {
		require.Equal(t, 1, s.closed, "seed %d: %s", p.seed, s.name)
	}
}
