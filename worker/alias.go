package worker

import (
	"encoding/json"

	"errand/activities"
	"errand/tools/platform"
)

// The words of the packages below that are needed to write tools, hooks and
// models of one's own.
type (
	// Tool is a Go function that requests may declare by name.
	Tool = platform.Tool
	// Resource is what tools of one run share, opened once for it.
	Resource = platform.Resource
	// Handle is what a Resource opened for a run.
	Handle = platform.Handle
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
	Model = activities.Model
	// ModelRequest is one inference in provider-neutral form.
	ModelRequest = activities.ModelRequest
	// ModelAnswer is what a model said.
	ModelAnswer = activities.ModelAnswer
	// ModelError is a model server's own answer that it will not, or not now.
	ModelError = activities.ModelError
	// FunctionTool is a tool as the model sees it.
	FunctionTool = activities.FunctionTool
	// Stop says why a model ended its answer.
	Stop = activities.Stop
)

// Verdicts of a before-hook.
const (
	VerdictAllow = activities.VerdictAllow
	VerdictBlock = activities.VerdictBlock
	VerdictAsk   = activities.VerdictAsk
)

// Ends of a model's answer.
const (
	// StopCompleted means that the answer is whole.
	StopCompleted = activities.StopCompleted
	// StopLength means cut at the output token limit; its calls must not run.
	StopLength = activities.StopLength
	// StopFilter means cut by a content filter; its calls must not run.
	StopFilter = activities.StopFilter
)

// Allow lets a call go on.
func Allow() Decision { return activities.Allow() }

// AllowWith lets a call go on with other arguments, which are not validated.
func AllowWith(arguments json.RawMessage) Decision { return activities.Allow().With(arguments) }

// Block refuses a call; the model reads the reason.
func Block(reason string) Decision { return activities.Block(reason) }

// Ask waits until somebody approves or denies the call.
func Ask(reason string) Decision { return activities.Ask(reason) }
