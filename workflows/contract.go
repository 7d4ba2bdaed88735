package workflows

import "errand/activities"

// TypeRun is the workflow type of a run. Its workflow id is the run id.
const TypeRun = "Run"

// TypeDelegated is the workflow type of a run that another run has started by
// the tool delegate. Nobody else starts one, and clients answer its calls at the
// run that started it.
const TypeDelegated = "DelegatedRun"

// DefaultTaskQueue is where runs and workers meet unless configured otherwise.
const DefaultTaskQueue = "errand"

// Signals and updates: the same name carries the same payload. An update is
// answered, a signal cannot be.
const (
	// ToolOutput settles a client-owned call. Payload: Answer.
	ToolOutput = "tool_output"
	// ClaimAction takes an action for a while. Update only. Payload: Claim.
	ClaimAction = "claim"
	// SettleApproval answers an approval request. Payload: Approval.
	SettleApproval = "approval"
	// SendMessage gives the run a message from outside. Payload: Message.
	SendMessage = "message"
	// ExtendBudget gives the run a larger budget. Payload: Extend.
	ExtendBudget = "extend"
	// StopRun ends the run, now or after what it is doing. Payload: Stop.
	StopRun = "stop"
)

// Nudge is a signal that changes nothing: an empty list of partial results. It
// makes a server that holds an update back look at the run again.
const Nudge = activities.SignalProgress

// SignalDelegated tells a run what its delegated run has handed over. Payload:
// DelegatedNews. Only delegated runs send it.
const SignalDelegated = "delegated"

// Queries. All arguments are optional. Answers come in pages under 1 MiB; one
// item that is larger is a page of its own.
const (
	// QueryStatus answers a StatusReport.
	QueryStatus = "status"
	// QueryEvents takes an EventsQuery and answers an EventsPage.
	QueryEvents = "events"
	// QueryConversation takes a PageQuery and answers an ItemsPage.
	QueryConversation = "conversation"
	// QueryTraces takes a PageQuery and answers a TracesPage.
	QueryTraces = "traces"
	// QuerySurface takes a PageQuery and answers a SurfacePage. Workers use
	// it; see docs/architecture.md.
	QuerySurface = "surface"
)

// Error types of a failed run.
const (
	ErrInvalidRequest   = "InvalidRequest"
	ErrDiscoveryFailed  = "DiscoveryFailed"
	ErrModelRejected    = "ModelRejected"
	ErrModelUnavailable = "ModelUnavailable"
	ErrLimitExceeded    = "LimitExceeded"
)

// RefusedOutput is the error type of an update that answers a call with
// something that does not fit the output_schema of its tool. The call stays
// open. Other refusals have no type of their own.
const RefusedOutput = "OutputMismatch"

// Limits of the wire contract, in bytes unless said otherwise. They keep every
// payload well under what a Temporal server takes (2 MiB a payload, 4 MiB a
// message).
const (
	// MaxRequestSize is the largest request that a starter sends.
	MaxRequestSize = 3 << 19
	// MaxItemSize is the largest item of a conversation, as JSON. HTML's special
	// characters take six bytes there.
	MaxItemSize = 5 << 18
	// MaxAnswerSize is the largest output that a client may send.
	MaxAnswerSize = 1 << 20
	// MaxResultSize is the largest result; older items are left out above it.
	MaxResultSize = 3 << 19
	// MaxPageSize is the largest answer to a query.
	MaxPageSize = 900 << 10
	// MaxBatch is how many calls of one batch are taken; the rest get the
	// outcome BudgetExceeded.
	MaxBatch = 128
	// MaxParallelCalls is the widest window a request may ask for.
	MaxParallelCalls = 100
)

// Status is the state of a run.
type Status string

// States of a run.
const (
	// Queued runs have not been taken by a worker yet.
	Queued     Status = "queued"
	InProgress Status = "in_progress"
	// PendingAction is a wait for a client or a person, never terminal.
	PendingAction Status = "pending_action"
	Completed     Status = "completed"
	Incomplete    Status = "incomplete"
	Failed        Status = "failed"
	Cancelled     Status = "cancelled"
)

// Terminal tells whether a run in this state has ended.
func (s Status) Terminal() bool {
	return s == Completed || s == Incomplete || s == Failed || s == Cancelled
}

// ActionStatus is the state of an action: of one client-owned call that has
// been handed over.
type ActionStatus string

// States of an action.
const (
	// ActionPending actions wait for anybody.
	ActionPending ActionStatus = "pending"
	// ActionProcessing actions are claimed; the claim may have run out.
	ActionProcessing ActionStatus = "processing"
	ActionCompleted  ActionStatus = "completed"
	ActionFailed     ActionStatus = "failed"
	ActionCancelled  ActionStatus = "cancelled"
	ActionExpired    ActionStatus = "expired"
)

// Reasons of an incomplete run.
const (
	// ReasonMaxRounds says that the round cap was reached.
	ReasonMaxRounds = "max_rounds"
	// ReasonMaxTokens and ReasonMaxCost say that a budget was used up.
	ReasonMaxTokens = "max_tokens"
	ReasonMaxCost   = "max_cost"
	// ReasonConversationTooLarge says that the run had grown to what a Temporal
	// server takes, and could not continue in a new execution.
	ReasonConversationTooLarge = "conversation_too_large"
	// ReasonStopped says that somebody stopped the run after its tools or its
	// round.
	ReasonStopped = "stopped"
)
