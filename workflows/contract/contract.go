// Package contract is what crosses the border between the processes of Errand:
// whoever starts, follows or answers a run, the run itself, and the workers that
// execute its activities. It has the names of workflows, signals, updates and
// queries, what they carry, the request with its checks, and the limits. It needs
// no Temporal SDK.
package contract

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
const Nudge = SignalProgress

// SignalProgress carries partial results of running calls to their run, as a list
// of ProgressUpdate. It is between worker and workflow: clients do not send it.
const SignalProgress = "progress"

// ProgressUpdate is the latest partial result of one running call.
type ProgressUpdate struct {
	Round int    `json:"round"`
	Index int    `json:"index"`
	Text  string `json:"text"`
}

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

// The search attributes of a run. They are for namespaces that have them
// registered: a run keeps those up to date that it was started with, since
// setting an attribute that the namespace does not know would block it for
// ever.
const (
	// AttributeStatus is a Keyword: the run's Status.
	AttributeStatus = "ErrandStatus"
	// AttributePending is an Int: how many calls, approvals and questions wait for
	// a client or a person.
	AttributePending = "ErrandPendingCalls"
)

// MemoStarted is the memo of a run that has continued: when it began, in the
// format of RFC 3339. To the server each execution begins by itself.
const MemoStarted = "started"
