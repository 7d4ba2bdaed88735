package contract

import (
	"time"

	"errand/tools"
)

// EventType is the kind of an event.
type EventType string

// The kinds of events. Within a batch they come in the order that is noted.
const (
	EventRunStart        EventType = "run_start"
	EventRoundStart      EventType = "round_start"
	EventMessage         EventType = "message"
	EventListTools       EventType = "mcp_list_tools"        // one a declared server, before the first round
	EventToolStart       EventType = "tool_execution_start"  // origin order
	EventToolUpdate      EventType = "tool_execution_update" // only the latest of a call counts
	EventManifest        EventType = "tool_call_manifest"
	EventApprovalAsked   EventType = "approval_request"
	EventApprovalSettled EventType = "approval"
	EventToolEnd         EventType = "tool_execution_end" // completion order
	EventToolResult      EventType = "tool_result"        // origin order
	EventCompaction      EventType = "compaction"
	EventBudgetAsked     EventType = "budget_request"
	EventBudgetSettled   EventType = "budget"
	EventActivation      EventType = "activation" // status open, failed or lost
	EventRelease         EventType = "release"
	EventStop            EventType = "stop" // status is the mode
	EventRejected        EventType = "rejected"
	EventRoundEnd        EventType = "round_end"
	EventRunEnd          EventType = "run_end"
)

// Event is one thing that happened in a run. Events name items and sizes;
// contents are in the conversation.
type Event struct {
	// Seq counts from 1 without gaps.
	Seq   int       `json:"seq"`
	Type  EventType `json:"type"`
	At    time.Time `json:"at"`
	Round int       `json:"round"`

	// Status is the run's status on run_start and run_end, the outcome's on
	// tool_execution_end and tool_result.
	Status string `json:"status,omitempty"`
	// Item is the index of the item in the conversation that a message or a
	// tool_result event is about.
	Item *int `json:"item,omitempty"`
	// Size is the length in bytes of the text that the event is about.
	Size int `json:"size,omitempty"`

	// Server is the label of the MCP server that the event is about.
	Server string `json:"server_label,omitempty"`

	ToolCallID string          `json:"tool_call_id,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Owner      tools.Ownership `json:"owner,omitempty"`
	ActionID   string          `json:"action_id,omitempty"`
	ApprovalID string          `json:"approval_request_id,omitempty"`
	ErrorType  string          `json:"error_type,omitempty"`
	// Source and Epoch name the session that an activation or a release is about.
	Source string `json:"source,omitempty"`
	Epoch  int    `json:"epoch,omitempty"`
	// Text is the partial result of a tool_execution_update; an update that a
	// later one of its call has replaced has none.
	Text string `json:"text,omitempty"`
	// Reason says why something was rejected, or why the run ended so.
	Reason string `json:"reason,omitempty"`
	Actor  string `json:"actor,omitempty"`
}
