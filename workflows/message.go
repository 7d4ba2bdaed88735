package workflows

import "encoding/json"

// Answer is the payload of tool_output. One of the two ids is needed; given
// both, they must name the same call. The shapes function_call_output and
// custom_tool_call_output (with call_id) are taken as well.
type Answer struct {
	Type       string `json:"type,omitempty"`
	ToolCallID string `json:"tool_call_id,omitempty"`
	CallID     string `json:"call_id,omitempty"`
	ActionID   string `json:"action_id,omitempty"`
	// Output is text, or any JSON, which becomes its JSON text.
	Output  json.RawMessage `json:"output"`
	IsError bool            `json:"is_error,omitempty"`
}

// callID is the id of the call under either of its names.
func (a Answer) callID() string {
	if a.ToolCallID == "" {
		return a.CallID
	}
	return a.ToolCallID
}

// Claim is the payload of claim: owner takes the action for lease, a Go
// duration. The owner renews by claiming again; another may take over once the
// lease has run out.
type Claim struct {
	ActionID string `json:"action_id"`
	Owner    string `json:"owner"`
	Lease    string `json:"lease"`
}

// Approval is the payload of approval.
type Approval struct {
	ApprovalRequestID string `json:"approval_request_id"`
	Approve           *bool  `json:"approve"`
	Reason            string `json:"reason,omitempty"`
	Actor             string `json:"actor,omitempty"`
}

// Message is the payload of message. Deliver is steer (after the current
// batch; the default) or follow_up (when no calls and no steering remain).
type Message struct {
	// ID makes it safe to send the message again when it is not known whether
	// it arrived: the run takes one id once. It may be empty.
	ID      string          `json:"id,omitempty"`
	Role    string          `json:"role,omitempty"`
	Content json.RawMessage `json:"content"`
	Deliver string          `json:"deliver,omitempty"`
}

// Stop is the payload of stop. Mode is required.
type Stop struct {
	Mode   StopMode `json:"mode"`
	Actor  string   `json:"actor,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// Ways to deliver a message (PI-23).
const (
	DeliverSteer    = "steer"
	DeliverFollowUp = "follow_up"
)

// Receipt answers an accepted update.
type Receipt struct {
	// ID is the action, approval or call that was settled, or "message".
	ID string `json:"id"`
	// Status is the state it is in now.
	Status string `json:"status"`
	// Repeated is true when the same had been accepted before: nothing
	// changed.
	Repeated bool `json:"repeated,omitempty"`
}
