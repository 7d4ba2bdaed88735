package tools

// Finding is what a tool says about a call whose attempt was lost.
type Finding struct {
	Found Found
	// Output is the result of a call that was done.
	Output Output
}

// Found says what became of a lost attempt.
type Found string

const (
	// FoundDone calls took place; their result is at hand.
	FoundDone Found = "done"
	// FoundNotDone calls did not take place and no longer will: it is safe to
	// run them.
	FoundNotDone Found = "not_done"
	// FoundUnknown is for a tool that cannot tell.
	FoundUnknown Found = "unknown"
)
