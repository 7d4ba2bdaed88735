package contract

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
	// MaxRounds and MaxTokens are the largest budgets that a request may ask for:
	// more than any run can use.
	MaxRounds = 1_000_000
	MaxTokens = 1_000_000_000_000
	// MaxContinueAfterEvents is the longest history of an execution that a request
	// may ask for: a server ends one of 51,200 events.
	MaxContinueAfterEvents = 35_000
	// MaxMetadata is the largest metadata of a request, which every result repeats.
	MaxMetadata = 64 << 10
	// MaxParallelCalls is the widest window a request may ask for.
	MaxParallelCalls = 100
)

const (
	// maxModel bounds the name of a model.
	maxModel = 200
	// maxPairs bounds the metadata of a request, as MaxMetadata does.
	maxPairs = 64
	// maxQuoted bounds what a fault quotes from outside.
	maxQuoted = 1000
)
