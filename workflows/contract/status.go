package contract

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

// SessionStatus is the state of a session.
type SessionStatus string

// States of a session.
const (
	SessionOpening SessionStatus = "opening"
	SessionOpen    SessionStatus = "open"
	SessionFailed  SessionStatus = "failed"
	// SessionLost ones were held by a worker that is gone, or that gave them
	// up.
	SessionLost SessionStatus = "lost"
	// SessionClosed ones were deactivated at the end of the run.
	SessionClosed SessionStatus = "closed"
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
