package contract

import (
	"encoding/json"
	"fmt"
	"time"

	"errand/tools"
)

// Manifest is the public description of an action: exactly these fields.
// Input stands in place of Args for a custom tool.
type Manifest struct {
	Type       string          `json:"type"` // always tool_call_manifest
	RunID      string          `json:"run_id"`
	ActionID   string          `json:"action_id"`
	ToolCallID string          `json:"tool_call_id"`
	Namespace  string          `json:"namespace,omitempty"`
	Tool       string          `json:"tool"`
	Args       json.RawMessage `json:"args,omitempty"`
	Input      *string         `json:"input,omitempty"`
}

// ManifestType is the type field of every manifest.
const ManifestType = "tool_call_manifest"

// OpenAction is an action in the answer to the query status: its manifest,
// and where it stands.
type OpenAction struct {
	Manifest
	// Status is as of the run's last step: a lease that ran out since then
	// still shows as processing, see LeaseUntil.
	Status ActionStatus `json:"status"`
	// Owner and LeaseUntil are set while somebody has claimed the action.
	Owner      string    `json:"owner,omitempty"`
	LeaseUntil time.Time `json:"lease_until,omitzero"`
	// ExpiresAt is the client's deadline; absent when there is none.
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// OpenApproval is a question to a person that has no answer yet.
type OpenApproval struct {
	ApprovalRequestID string          `json:"approval_request_id"`
	ToolCallID        string          `json:"tool_call_id"`
	Tool              string          `json:"tool"`
	Args              json.RawMessage `json:"args,omitempty"`
	Reason            string          `json:"reason,omitempty"`
	ExpiresAt         time.Time       `json:"expires_at,omitzero"`
}

// Actions and approvals are named by the place of their call, so that they are
// unique in a run and never the call's own id.
const (
	actionFormat   = "act_%d_%d"
	approvalFormat = "apr_%d_%d"
)

// ActionID is the id of the action that hands over the call at this place of a
// round.
func ActionID(round, index int) string { return fmt.Sprintf(actionFormat, round, index) }

// ApprovalID is the id of the approval request for the call at this place of a
// round.
func ApprovalID(round, index int) string { return fmt.Sprintf(approvalFormat, round, index) }

// Place reads the place of a call out of its action id.
func Place(actionID string) (round, index int, ok bool) {
	n, err := fmt.Sscanf(actionID, actionFormat, &round, &index)
	return round, index, err == nil && n == 2 && ActionID(round, index) == actionID
}

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

// Call is the id of the call under either of its names; empty where the answer
// names an action only.
func (a Answer) Call() string {
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

// DelegatedNews is the payload of SignalDelegated: an action of a delegated run
// that was handed over, or that has ended.
type DelegatedNews struct {
	// Round and Index are the place of the call of delegate, From is the workflow
	// id of the delegated run.
	Round int    `json:"round"`
	Index int    `json:"index"`
	From  string `json:"from"`
	// Action is the manifest as the delegated run has it.
	Action    Manifest  `json:"action"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	// Ended is how the call has ended; empty while it is open.
	Ended tools.OutcomeStatus `json:"ended,omitempty"`
}
