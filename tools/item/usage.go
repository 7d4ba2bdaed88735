package item

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Usage counts tokens in the shape of a Responses object.
type Usage struct {
	InputTokens  int64          `json:"input_tokens"`
	OutputTokens int64          `json:"output_tokens"`
	TotalTokens  int64          `json:"total_tokens"`
	Input        *InputDetails  `json:"input_tokens_details,omitempty"`
	Output       *OutputDetails `json:"output_tokens_details,omitempty"`
}

// InputDetails breaks the input tokens down.
type InputDetails struct {
	CachedTokens int64 `json:"cached_tokens"`
}

// OutputDetails breaks the output tokens down.
type OutputDetails struct {
	ReasoningTokens int64 `json:"reasoning_tokens"`
}

// Add sums the usage of one more round. A round that reports none changes
// nothing and invents nothing.
func (u *Usage) Add(round *Usage) {
	if round == nil {
		return
	}
	u.InputTokens += round.InputTokens
	u.OutputTokens += round.OutputTokens
	u.TotalTokens += round.TotalTokens
	if round.Input != nil {
		if u.Input == nil {
			u.Input = &InputDetails{}
		}
		u.Input.CachedTokens += round.Input.CachedTokens
	}
	if round.Output != nil {
		if u.Output == nil {
			u.Output = &OutputDetails{}
		}
		u.Output.ReasoningTokens += round.Output.ReasoningTokens
	}
}

// Cost is an amount of money in billionths of the currency that the worker's
// prices are in. As JSON it is the amount itself: 0.0125. Whole billionths keep
// a sum the same however often it is made again.
type Cost int64

// billion is how many parts of a Cost are one.
const billion = 1_000_000_000

// Unit is one of the currency.
const Unit Cost = billion

// CostOf turns an amount into a Cost, rounded to the nearest billionth. What
// is no amount (negative, not a number, too large) is false.
func CostOf(amount float64) (Cost, bool) {
	if !(amount >= 0) || amount >= math.MaxInt64/billion {
		return 0, false
	}
	return Cost(math.Round(amount * billion)), true
}

// String is the amount in decimals, without trailing zeros.
func (c Cost) String() string {
	sign := ""
	if c < 0 {
		sign, c = "-", -c
	}
	whole := fmt.Sprintf("%s%d", sign, int64(c)/billion)
	part := strings.TrimRight(fmt.Sprintf("%09d", int64(c)%billion), "0")
	if part == "" {
		return whole
	}
	return whole + "." + part
}

// MarshalJSON writes the amount as a number.
func (c Cost) MarshalJSON() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalJSON reads a number that is not negative.
func (c *Cost) UnmarshalJSON(raw []byte) error {
	var amount float64
	if err := json.Unmarshal(raw, &amount); err != nil {
		return err
	}
	cost, ok := CostOf(amount)
	if !ok {
		return fmt.Errorf("%s is not an amount of money", raw)
	}
	*c = cost
	return nil
}
