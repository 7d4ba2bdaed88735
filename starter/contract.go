package starter

import (
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// What a request is made of.
type (
	// RunOptions is the object run of a request: what is Errand's own. The zero
	// value of a field means its default.
	RunOptions = contract.RunOptions
	// Duration is a time-out of a request: Duration(72 * time.Hour).
	Duration = contract.Duration
	// Cost is an amount of money, in billionths of the currency: see CostUnit.
	Cost = item.Cost
	// ToolExecution is the mode of a batch of calls.
	ToolExecution = contract.ToolExecution
	// OnBudget says what happens to a run whose budget is used up.
	OnBudget = contract.OnBudget
	// OnClientTimeout says what happens when nobody has answered in time.
	OnClientTimeout = contract.OnClientTimeout
	// Undeclared says what a call to a name that nobody declared means.
	Undeclared = contract.Undeclared
	// Duplicates says what two tools of one name mean.
	Duplicates = tools.Duplicates
)

// NoTimeout switches a time-out off whose zero value means the default.
const NoTimeout = contract.NoTimeout

// CostUnit is one of the currency that the worker's prices are in: CostUnit / 4.
const CostUnit = item.Unit

// Values of the options.
const (
	ExecuteParallel   = contract.ExecuteParallel
	ExecuteSequential = contract.ExecuteSequential
	BudgetStop        = contract.BudgetStop
	BudgetAsk         = contract.BudgetAsk
	TimeoutExpires    = contract.TimeoutExpires
	TimeoutFails      = contract.TimeoutFails
	UndeclaredError   = contract.UndeclaredError
	UndeclaredClient  = contract.UndeclaredClient
	DuplicatesError   = tools.DuplicatesError
	DuplicatesLast    = tools.DuplicatesLast
)

// What a run tells.
type (
	// Status is the state of a run.
	Status = contract.Status
	// StatusReport is what Run.Status gives.
	StatusReport = contract.StatusReport
	// Event is one thing that happened in a run.
	Event = contract.Event
	// EventType is the kind of an event.
	EventType = contract.EventType
	// EventsPage is what Run.Events gives.
	EventsPage = contract.EventsPage
	// Result is what a run ends with.
	Result = contract.Result
	// RunReport is Errand's own part of a result.
	RunReport = contract.RunReport
	// RunError says why a run failed.
	RunError = contract.RunError
	// IncompleteReason says why a run stopped early.
	IncompleteReason = contract.IncompleteReason
	// Release says how the closing of one session ended.
	Release = contract.Release
	// Trace is what Run.Traces gives: one call and its outcome.
	Trace = tools.Trace
	// Change is something that a tool has changed.
	Change = tools.Change
	// Usage counts the tokens of the inferences.
	Usage = item.Usage
	// Fault is one thing wrong with a request, Faults are all of them.
	Fault = tools.Fault
	// Faults lists what is wrong with a request.
	Faults = tools.Faults
)

// What is open in a run, and what is sent to it.
type (
	// OpenAction is a call that waits for the client.
	OpenAction = contract.OpenAction
	// ActionStatus is the state of an action.
	ActionStatus = contract.ActionStatus
	// Manifest is the public description of an action.
	Manifest = contract.Manifest
	// OpenApproval is a question to a person that has no answer yet.
	OpenApproval = contract.OpenApproval
	// OpenBudget is a question for a larger budget.
	OpenBudget = contract.OpenBudget
	// OpenSession is a source that was opened for the run.
	OpenSession = contract.OpenSession
	// SessionStatus is the state of a session.
	SessionStatus = contract.SessionStatus
	// Answer settles a call: see Output and Failure.
	Answer = contract.Answer
	// Claim takes an action for a while.
	Claim = contract.Claim
	// Approval answers a question: see Approved and Denied.
	Approval = contract.Approval
	// Message is a message to the run: see Text.
	Message = contract.Message
	// Extend gives the run a larger budget.
	Extend = contract.Extend
	// Stop ends the run.
	Stop = contract.Stop
	// StopMode says how much a stopped run still does.
	StopMode = contract.StopMode
	// StopReport says that somebody stopped the run.
	StopReport = contract.StopReport
	// Receipt says that the run has taken what was sent.
	Receipt = contract.Receipt
)

// States of a run; see also Terminated and TimedOut.
const (
	Queued        = contract.Queued
	InProgress    = contract.InProgress
	PendingAction = contract.PendingAction
	Completed     = contract.Completed
	Incomplete    = contract.Incomplete
	Failed        = contract.Failed
	Cancelled     = contract.Cancelled
)

// States of an action.
const (
	ActionPending    = contract.ActionPending
	ActionProcessing = contract.ActionProcessing
	ActionCompleted  = contract.ActionCompleted
	ActionFailed     = contract.ActionFailed
	ActionCancelled  = contract.ActionCancelled
	ActionExpired    = contract.ActionExpired
)

// States of a session.
const (
	SessionOpening = contract.SessionOpening
	SessionOpen    = contract.SessionOpen
	SessionFailed  = contract.SessionFailed
	SessionLost    = contract.SessionLost
	SessionClosed  = contract.SessionClosed
)

// The kinds of events.
const (
	EventRunStart        = contract.EventRunStart
	EventRoundStart      = contract.EventRoundStart
	EventMessage         = contract.EventMessage
	EventListTools       = contract.EventListTools
	EventToolStart       = contract.EventToolStart
	EventToolUpdate      = contract.EventToolUpdate
	EventManifest        = contract.EventManifest
	EventApprovalAsked   = contract.EventApprovalAsked
	EventApprovalSettled = contract.EventApprovalSettled
	EventToolEnd         = contract.EventToolEnd
	EventToolResult      = contract.EventToolResult
	EventCompaction      = contract.EventCompaction
	EventBudgetAsked     = contract.EventBudgetAsked
	EventBudgetSettled   = contract.EventBudgetSettled
	EventActivation      = contract.EventActivation
	EventRelease         = contract.EventRelease
	EventStop            = contract.EventStop
	EventRejected        = contract.EventRejected
	EventRoundEnd        = contract.EventRoundEnd
	EventRunEnd          = contract.EventRunEnd
)

// Ways to deliver a message, and to stop a run.
const (
	DeliverSteer    = contract.DeliverSteer
	DeliverFollowUp = contract.DeliverFollowUp
	StopAfterRound  = contract.StopAfterRound
	StopAfterTools  = contract.StopAfterTools
	StopNow         = contract.StopNow
)

// Types of a RunFailedError, and of a RefusedError.
const (
	ErrInvalidRequest   = contract.ErrInvalidRequest
	ErrDiscoveryFailed  = contract.ErrDiscoveryFailed
	ErrModelRejected    = contract.ErrModelRejected
	ErrModelUnavailable = contract.ErrModelUnavailable
	ErrLimitExceeded    = contract.ErrLimitExceeded
	RefusedOutput       = contract.RefusedOutput
)

// Reasons of an incomplete run.
const (
	ReasonMaxRounds            = contract.ReasonMaxRounds
	ReasonMaxTokens            = contract.ReasonMaxTokens
	ReasonMaxCost              = contract.ReasonMaxCost
	ReasonConversationTooLarge = contract.ReasonConversationTooLarge
	ReasonStopped              = contract.ReasonStopped
)
