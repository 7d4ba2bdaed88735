package crash

import "fmt"

// invariant is one thing that holds whatever happens.
type invariant string

const (
	onceAtMostOnce   invariant = "a once effect takes place at most once"
	appliedOnce      invariant = "a repeatable effect takes place, under the one key of its call"
	nothingLost      invariant = "no result is lost"
	validTalk        invariant = "the conversation is valid"
	wholeEvents      invariant = "events are whole and do not change"
	sameResult       invariant = "the result is that of the reference"
	nothingOpen      invariant = "nothing is left open"
	nothingAfter     invariant = "nothing happens after the end"
	released         invariant = "what was opened is closed once"
	oneAtATime       invariant = "one opening at a time"
	endsInTime       invariant = "the run ends"
	gracefulStop     invariant = "a stop of the worker is not noticed"
	lateIsNotApplied invariant = "a late completion is not applied"
)

type violation struct {
	invariant invariant
	text      string
}

func (v violation) String() string { return string(v.invariant) + ": " + v.text }

// verdict is what a trial has found.
type verdict struct {
	violations        []violation
	unknown, repeated int
}

func (v *verdict) violate(i invariant, format string, args ...any) {
	v.violations = append(v.violations, violation{i, fmt.Sprintf(format, args...)})
}
