package activities

import (
	"context"
	"encoding/json"
	"errors"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"errand/activities/cache"
	"errand/activities/model"
	"errand/activities/session"
	"errand/activities/translate"
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
	Model model.Model
	// Sources by name; tools.SourcePlatform is the worker's own tools.
	Sources map[string]Source
	// Servers are the MCP servers that this worker can reach; nil for none.
	Servers Servers
	Hooks   Hooks
	Engine  Engine
	// Price of a model's tokens, or false where none is known. Nil: of none.
	Price func(model string) (model.Price, bool)
	// Sessions are those that live in this worker; nil where it opens none.
	Sessions *session.Manager
	// MaxOutput is the size in bytes above which an output is cut, where large
	// payloads are stored outside of Temporal; 0 where they are not.
	MaxOutput int
	// CacheBytes bounds the conversations, surfaces and outputs kept in this worker;
	// 0 means 64 MiB.
	CacheBytes int
}

// Activities are the activities of a run. Register one value per worker.
type Activities struct {
	model    model.Model
	price    func(model string) (model.Price, bool)
	sources  map[string]Source
	servers  Servers
	hooks    Hooks
	engine   Engine
	caches   caches
	sessions *session.Manager
	// maxOutput is that of Parts.
	maxOutput int
	// progress is what running calls report to.
	progress *progress
	shutdown shutdown
}

// caches are what a worker keeps between activities; all of it can be lost.
type caches struct {
	conversations *cache.LRU[cache.Conversation]
	surfaces      *cache.LRU[*translate.Translator]
	// items are outputs of tools, by their reference.
	items   *cache.LRU[json.RawMessage]
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
	if p.Sessions == nil {
		p.Sessions = session.NewManager("", 1, p.Engine)
	}
	return &Activities{
		model: p.Model, price: p.Price, sources: p.Sources, servers: p.Servers, hooks: p.Hooks, engine: p.Engine,
		caches: p.caches(), sessions: p.Sessions, maxOutput: p.MaxOutput,
		progress: newProgress(p.Engine), shutdown: newShutdown(),
	}, nil
}

func (p Parts) caches() caches {
	if p.CacheBytes == 0 {
		p.CacheBytes = 64 << 20
	}
	items := p.itemBytes()
	return caches{
		conversations: cache.NewLRU[cache.Conversation](p.CacheBytes*3/4 - items),
		surfaces:      cache.NewLRU[*translate.Translator](p.CacheBytes / 4),
		items:         cache.NewLRU[json.RawMessage](items),
		schemas:       schema.NewCache(maxSchemas),
	}
}

// itemBytes bounds the outputs that are kept. Where they can be large, at least
// one of the largest fits, if conversations still have three eighths.
func (p Parts) itemBytes() int {
	const frame = 64 << 10
	if p.MaxOutput == 0 {
		return p.CacheBytes / 8
	}
	return min(p.CacheBytes*3/8, max(p.CacheBytes/4, p.MaxOutput+frame))
}

// maxSchemas bounds the compiled schemas of a worker: 8 full runs of 512 tools.
const maxSchemas = 4096
