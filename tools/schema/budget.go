package schema

import (
	"context"
	"errors"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// maxWork is what one budget lets be done, as estimated before it is done: a
	// schema of a few hundred bytes can ask for 2^n steps, the library has no
	// limit, and a validation cannot be interrupted.
	maxWork = time.Second
	// maxMatching is what patterns that backtrack, and large ones, may take
	// beside it, as measured: nothing tells beforehand.
	maxMatching = maxWork / 2
)

// Budget bounds the work that one request can ask for: compiling its schemas,
// coercing and checking. What would exceed it is refused before it is begun. It
// ends with its context. One goroutine uses it at a time.
type Budget struct {
	ctx context.Context
	// left is what is left of maxWork, and patience of maxMatching.
	left, patience time.Duration
}

// NewBudget makes the budget of one request: about a second of work.
func NewBudget(ctx context.Context) *Budget {
	return &Budget{ctx, maxWork, maxMatching}
}

// ErrSpent refuses what a budget has no room for. It says nothing about the
// schema by itself.
var ErrSpent = errors.New("the schema would take too long to compile, together with the other schemas of the request")

// spend takes the cost of something from the budget, and refuses it if that is
// more than there is.
func (b *Budget) spend(cost time.Duration) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if cost > b.left {
		return ErrSpent
	}
	b.left -= cost
	return nil
}

// Estimates of what the library does, on a slow core. They are upper bounds: a
// test holds them against adversarial schemas.
const (
	costOfVisit   = 600 * time.Nanosecond
	costOfLevel   = 50 * time.Nanosecond // of an issue, for each level above it
	costOfScope   = 5 * time.Nanosecond  // of looking for a cycle, for each schema in place
	costOfKey     = 150 * time.Nanosecond
	costOfIssue   = time.Microsecond
	costOfNumber  = 1500 * time.Nanosecond
	costOfReading = 3 * time.Microsecond // of a text as JSON, however short
	// costOfEvaluated is that of keeping in mind whether a property was evaluated.
	costOfEvaluated = time.Microsecond
	costOfNode      = 60 * time.Nanosecond
	costOfDecoded   = 60 * time.Nanosecond // a byte of JSON
	costOfFormat    = 60 * time.Nanosecond // a byte of a text that has a format
	// costOfStep is one instruction of a pattern on one byte of a text.
	costOfStep = 30 * time.Nanosecond
)

// perByte is the cost of looking at so many bytes once, as the hash of a text
// or a comparison does.
func perByte(n int) time.Duration { return time.Duration(n) * time.Nanosecond / 2 }

// numberCost is that of exact arithmetic on a number with so many digits.
func numberCost(digits int) time.Duration {
	return costOfNumber + time.Duration(digits*digits/16)*time.Nanosecond
}

// matchCost is the most that matching a pattern against a text takes, but for
// one whose matches are measured.
func matchCost(pattern jsonschema.Regexp, text string) time.Duration {
	if p, ok := pattern.(*linear); ok {
		return costOfStep * time.Duration(p.size+1) * time.Duration(len(text)+8)
	}
	return costOfIssue
}

// weigh is the cost of comparing or hashing a value, up to a limit.
func weigh(v any, limit time.Duration) time.Duration {
	cost := costOfNode
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			if cost > limit {
				break
			}
			cost += costOfKey + perByte(len(key)) + weigh(member, limit-cost)
		}
	case []any:
		for _, item := range v {
			if cost > limit {
				break
			}
			cost += weigh(item, limit-cost)
		}
	case string:
		cost += perByte(len(v))
	default:
		if number, ok := v.(interface{ String() string }); ok {
			cost += numberCost(len(number.String()))
		}
	}
	return cost
}
