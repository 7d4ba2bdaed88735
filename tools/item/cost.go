package item

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

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
