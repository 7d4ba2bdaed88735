package activities

import (
	"context"
	"encoding/json"
	"errors"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"errand/tools/schema"
)

// Engine is what the activities ask of Temporal beside their own task. A
// client.Client satisfies it.
type Engine interface {
	// QueryWorkflow fetches what this worker does not hold of a run.
	QueryWorkflow(ctx context.Context, workflowID, runID, queryType string, args ...any) (converter.EncodedValue, error)
	// SignalWorkflow tells a run how its calls get on.
	SignalWorkflow(ctx context.Context, workflowID, runID, signal string, payload any) error
	// RecordActivityHeartbeat is acknowledged by the server, unlike the
	// heartbeats of the SDK, which are batched.
	RecordActivityHeartbeat(ctx context.Context, taskToken []byte, details ...any) error
	// DescribeWorkflowExecution tells whether a run still goes on.
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
}

// Parts are what the activities are built from.
type Parts struct {
	Model Model
	// Sources by name; tools.SourcePlatform is the worker's own tools.
	Sources map[string]Source
	// Servers are the MCP servers that this worker can reach; nil for none.
	Servers Servers
	Hooks   Hooks
	Engine  Engine
	// Price of a model's tokens, or false where none is known. Nil: of none.
	Price func(model string) (Price, bool)
	// Own is what belongs to this worker alone.
	Own Own
	// MaxOutput is the size in bytes above which an output is cut, where large
	// payloads are stored outside of Temporal; 0 where they are not.
	MaxOutput int
	// MemoryBytes bounds the conversations, surfaces and outputs kept in this worker;
	// 0 means 64 MiB.
	MemoryBytes int
}

// Own is what belongs to one worker alone.
type Own struct {
	// Queue is a task queue that only this worker polls, for as long as it lives.
	// Calls of the sessions that it holds come there. Empty: it holds none.
	Queue string
	// Calls bounds those that execute at once; 0 means 200.
	Calls int
}

// Activities are the activities of a run. Register one value per worker.
type Activities struct {
	model   Model
	price   func(model string) (Price, bool)
	sources map[string]Source
	servers Servers
	hooks   Hooks
	engine  Engine
	held    held
	own     own
	// maxOutput is that of Parts.
	maxOutput int
	// progress is what running calls report to.
	progress *progress
}

// held is what a worker keeps between activities; all of it can be lost.
type held struct {
	conversations *conversations
	surfaces      *surfaces
	// items are outputs of tools and what else inputs may name, by digest.
	items   *sized[json.RawMessage]
	schemas *schema.Cache
}

// New builds the activities, or says what is missing.
func New(p Parts) (*Activities, error) {
	var faults []error
	if p.Model == nil {
		faults = append(faults, errors.New("activities: Parts.Model is missing"))
	}
	if p.Engine == nil {
		faults = append(faults, errors.New("activities: Parts.Engine is missing: pass the Temporal client"))
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if p.MemoryBytes == 0 {
		p.MemoryBytes = 64 << 20
	}
	if p.Own.Calls == 0 {
		p.Own.Calls = 200
	}
	items := p.itemsKept()
	return &Activities{
		model: p.Model, price: p.Price, sources: p.Sources, servers: p.Servers, hooks: p.Hooks, engine: p.Engine, progress: newProgress(p.Engine),
		own: newOwn(p.Own), maxOutput: p.MaxOutput,
		held: held{
			conversations: newConversations(p.MemoryBytes*3/4 - items),
			items:         newSized[json.RawMessage](items),
			surfaces:      newSurfaces(p.MemoryBytes / 4),
			schemas:       schema.NewCache(schemasKept),
		},
	}, nil
}

// itemsKept is how many bytes of outputs are kept. Where they can be large, at
// least one of the largest fits, if conversations still have three eighths.
func (p Parts) itemsKept() int {
	const frame = 64 << 10
	if p.MaxOutput == 0 {
		return p.MemoryBytes / 8
	}
	return min(p.MemoryBytes*3/8, max(p.MemoryBytes/4, p.MaxOutput+frame))
}

// schemasKept bounds the compiled schemas of a worker: 8 full runs of 512
// tools.
const schemasKept = 4096
