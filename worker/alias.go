package worker

import (
	"context"
	"encoding/json"

	"errand/activities"
	"errand/activities/model"
	"errand/storage"
	"errand/tools/platform"
	"errand/worker/checkup"
	"errand/worker/config"
)

// What a worker can be told: see the package config.
type (
	// Config is the configuration of a worker.
	Config = config.Config
	// Temporal says where runs come from.
	Temporal = config.Temporal
	// Endpoint is a server of models and which models it serves.
	Endpoint = config.Endpoint
	// Price is what the tokens of models cost.
	Price = config.Price
	// Files configures the built-in file tools.
	Files = config.Files
	// Skills configures the built-in tool load_skill.
	Skills = config.Skills
	// Delegate configures the platform tool delegate.
	Delegate = config.Delegate
	// Fetch configures the built-in tool fetch_url.
	Fetch = config.Fetch
	// MCP says which servers of the Model Context Protocol runs may use.
	MCP = config.MCP
	// Search configures web_search.
	Search = config.Search
	// Deployment makes the worker one version of a Worker Deployment.
	Deployment = config.Deployment
	// Log configures the worker's log.
	Log = config.Log
	// Limits bound what one worker takes on at a time.
	Limits = config.Limits
	// Secret is text that no way of printing, logging or encoding shows.
	Secret = config.Secret
	// Error is everything wrong with a configuration, or with what New was given.
	Error = config.Error
)

// What becomes of a run when a newer build of a deployment is made current.
const (
	AutoUpgrade = config.AutoUpgrade
	Pinned      = config.Pinned
)

// DefaultConfig is the configuration of a worker that was told nothing, but for
// its Models: it has none.
func DefaultConfig() Config { return config.Default() }

// LoadConfig reads the configuration from the variables given, usually
// os.Environ(), and from the YAML file that ERRAND_CONFIG names: see config.Load.
// The error is an *Error with every fault.
func LoadConfig(environ []string) (Config, error) { return config.Load(environ) }

// LoadStorage reads only where large payloads go, for programs that start runs, or
// read them, and are no worker: see config.LoadStorage. The error is an *Error.
func LoadStorage(environ []string) (storage.Config, error) { return config.LoadStorage(environ) }

// What a checkup finds: see the package checkup.
type (
	// Finding is what a checkup has to say about one thing.
	Finding = checkup.Finding
	// State is how a finding turned out.
	State = checkup.State
)

// States of findings.
const (
	StateOK      = checkup.StateOK
	StateOff     = checkup.StateOff
	StateWarning = checkup.StateWarning
	StateFault   = checkup.StateFault
)

// Checkup tries everything that the configuration names, but for Temporal: see
// checkup.Run. model is the one that runs will name, if that is known.
func Checkup(ctx context.Context, c Config, model string) []Finding {
	return checkup.Run(ctx, c, model)
}

// The words of the packages below that are needed to write tools, hooks and
// models of one's own.
type (
	// Tool is a Go function that requests may declare by name.
	Tool = platform.Tool
	// Resource is what tools of one run share, opened once for it.
	Resource = platform.Resource
	// Session is what a Resource opened for a run.
	Session = platform.Session
	// HookCall is the call that a hook is asked about.
	HookCall = activities.HookCall
	// BeforeToolCall decides about a call before it is executed or handed over.
	BeforeToolCall = activities.BeforeToolCall
	// AfterToolCall may change the output of a call that has run.
	AfterToolCall = activities.AfterToolCall
	// Decision is the answer of a before-hook. The zero Decision allows.
	Decision = activities.Decision
	// Compact makes a conversation shorter that is too long for its model.
	Compact = activities.Compact
	// CompactCall is what a Compact is asked about.
	CompactCall = activities.CompactCall
	// Verdict is what a before-hook decided.
	Verdict = activities.Verdict
	// Model answers one inference.
	Model = model.Model
	// ModelRequest is one inference in provider-neutral form.
	ModelRequest = model.Request
	// ModelAnswer is what a model said.
	ModelAnswer = model.Answer
	// ModelError is a model server's own answer that it will not, or not now.
	ModelError = model.Error
	// FunctionTool is a tool as the model sees it.
	FunctionTool = model.FunctionTool
	// FinishReason says why a model ended its answer.
	FinishReason = model.FinishReason
)

// Verdicts of a before-hook.
const (
	VerdictAllow = activities.VerdictAllow
	VerdictBlock = activities.VerdictBlock
	VerdictAsk   = activities.VerdictAsk
)

// Ends of a model's answer.
const (
	// FinishCompleted means that the answer is whole.
	FinishCompleted = model.FinishCompleted
	// FinishLength means cut at the output token limit; its calls must not run.
	FinishLength = model.FinishLength
	// FinishFilter means cut by a content filter; its calls must not run.
	FinishFilter = model.FinishFilter
)

// Allow lets a call go on.
func Allow() Decision { return activities.Allow() }

// AllowWith lets a call go on with other arguments, which are not validated.
func AllowWith(arguments json.RawMessage) Decision { return activities.Allow().With(arguments) }

// Block refuses a call; the model reads the reason.
func Block(reason string) Decision { return activities.Block(reason) }

// Ask waits until somebody approves or denies the call.
func Ask(reason string) Decision { return activities.Ask(reason) }
