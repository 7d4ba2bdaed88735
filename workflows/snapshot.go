package workflows

import (
	"encoding/json"
	"time"

	"errand/activities/model"
	"errand/activities/session"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// snapshotFormat is raised when older builds must not read a snapshot: when a
// field changes its meaning. A new field needs no new format.
const snapshotFormat = 1

// snapshot is the whole state of a run as plain data: what a new execution
// needs to go on with it. What can be worked out again (digests, surface, what
// is open) is not in it.
type snapshot struct {
	Format int `json:"format"`
	// Request is without its input, which is in Items.
	Request     contract.Request   `json:"request"`
	Descriptors []tools.Descriptor `json:"descriptors,omitempty"`
	Items       []json.RawMessage  `json:"items,omitempty"`
	Sent        int                `json:"sent,omitempty"`
	Tokens      int64              `json:"tokens,omitempty"`
	Round       int                `json:"round,omitempty"`
	// Calls are those that anything below names, by their index.
	Calls []callState `json:"calls,omitempty"`
	// Running and Stop are of the batch that is being handled, if MidRound.
	Running  []int              `json:"running,omitempty"`
	Stop     model.FinishReason `json:"stop,omitempty"`
	MidRound bool               `json:"mid_round,omitempty"`
	// Asking is the wait for a larger budget.
	Asking *questionState `json:"asking,omitempty"`
	Ledger ledgerState    `json:"ledger,omitzero"`
	// Holdings are what is open; the new execution's Cleanup takes it over.
	Holdings holdingsState        `json:"holdings,omitzero"`
	Stopped  *contract.StopReport `json:"stopped,omitempty"`
	Inbox    inboxState           `json:"inbox,omitzero"`
	Journal  journalState         `json:"journal,omitzero"`
	Report   reportState          `json:"report,omitzero"`
}

// callState is a call. Its descriptor is found again by its name.
type callState struct {
	tools.Call
	Kind    string         `json:"kind,omitempty"`
	Seen    time.Time      `json:"seen,omitzero"`
	Begun   bool           `json:"begun,omitempty"`
	Joined  bool           `json:"joined,omitempty"`
	Started bool           `json:"started,omitempty"`
	Update  int            `json:"update,omitempty"`
	Place   int            `json:"place,omitempty"`
	Outcome *tools.Outcome `json:"outcome,omitempty"`
}

type questionState struct {
	Reason   string    `json:"reason"`
	Expiry   time.Time `json:"expiry,omitzero"`
	Answered bool      `json:"answered,omitempty"`
	Extended bool      `json:"extended,omitempty"`
}

type holdingsState struct {
	All     []activationState `json:"all,omitempty"`
	Keepers int               `json:"keepers,omitempty"`
}

type activationState struct {
	session.Location
	State   contract.ActivationStatus `json:"state"`
	Failure string                    `json:"failure,omitempty"`
	Refused bool                      `json:"refused,omitempty"`
	Gone    bool                      `json:"gone,omitempty"`
	Parting string                    `json:"parting,omitempty"`
}

type ledgerState struct {
	Actions   []actionState   `json:"actions,omitempty"`
	Approvals []approvalState `json:"approvals,omitempty"`
	Spent     int             `json:"spent,omitempty"`
	Used      map[string]int  `json:"used,omitempty"`
}

type actionState struct {
	ID     string                `json:"id"`
	Call   int                   `json:"call"`
	Status contract.ActionStatus `json:"status"`
	Owner  string                `json:"owner,omitempty"`
	Lease  time.Time             `json:"lease,omitzero"`
	// Expiry is that of the call.
	Expiry time.Time `json:"expiry,omitzero"`
	Digest string    `json:"digest,omitempty"`
}

type approvalState struct {
	ID       string    `json:"id"`
	Call     int       `json:"call"`
	Reason   string    `json:"reason,omitempty"`
	Settled  bool      `json:"settled,omitempty"`
	Decided  bool      `json:"decided,omitempty"`
	Approved bool      `json:"approved,omitempty"`
	Expiry   time.Time `json:"expiry,omitzero"` // of the call
}

type inboxState struct {
	Unknown   []string          `json:"unknown,omitempty"`
	Steering  []json.RawMessage `json:"steering,omitempty"`
	FollowUps []json.RawMessage `json:"follow_ups,omitempty"`
	Heard     []heardMessage    `json:"heard,omitempty"`
}

type journalState struct {
	Events   []contract.Event `json:"events,omitempty"`
	First    int              `json:"first,omitempty"`
	Round    int              `json:"round,omitempty"`
	Rejected int              `json:"rejected,omitempty"`
}

// reportState holds an output that is an item of the conversation as the
// item's index.
type reportState struct {
	Release   []contract.Release `json:"release,omitempty"`
	Status    contract.Status    `json:"status"`
	Model     string             `json:"model,omitempty"`
	Usage     item.Usage         `json:"usage,omitzero"`
	Cost      *item.Cost         `json:"cost,omitempty"`
	LastError string             `json:"last_error,omitempty"`
	Output    []json.RawMessage  `json:"output,omitempty"`
	LeftOut   int                `json:"left_out,omitempty"`
	Stored    int                `json:"stored,omitempty"`
	Traces    []tools.Trace      `json:"traces,omitempty"`
	OldTraces int                `json:"old_traces,omitempty"`
	Changes   []tools.Change     `json:"changes,omitempty"`
	Warnings  []string           `json:"warnings,omitempty"`
	Repeats   int                `json:"repeats,omitempty"`
	Sources   map[string]string  `json:"sources,omitempty"`
}
