package workflows

import (
	"encoding/json"
	"time"
)

// Manifest is the public description of an action: exactly these fields
// (PD-22). Input stands in place of Args for a custom tool.
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
