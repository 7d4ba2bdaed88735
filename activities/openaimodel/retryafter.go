package openaimodel

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxRetryAfter bounds what a server may ask for: a run should not sleep for a
// day because of one header.
const maxRetryAfter = time.Hour

// retryAfter is how long a server asks to wait, between 0 and maxRetryAfter.
// Milliseconds go before seconds and dates; the first value that can be read
// counts, since proxies repeat the header.
func retryAfter(header http.Header, now time.Time) time.Duration {
	// A date was written by the server's clock, which may not agree with ours.
	if theirs, err := http.ParseTime(header.Get("Date")); err == nil {
		now = theirs
	}
	for _, value := range header.Values("Retry-After-Ms") {
		if wait, ok := waitOf(value, time.Millisecond); ok {
			return wait
		}
	}
	for _, value := range header.Values("Retry-After") {
		value = strings.TrimSpace(value)
		if wait, ok := waitOf(value, time.Second); ok {
			return wait
		}
		if date, err := http.ParseTime(value); err == nil {
			return min(max(date.Sub(now), 0), maxRetryAfter)
		}
	}
	return 0
}

// waitOf reads a number of units. The bound is applied before the conversion,
// which would overflow.
func waitOf(value string, unit time.Duration) (time.Duration, bool) {
	number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(number) {
		return 0, false
	}
	number = min(max(number, 0), float64(maxRetryAfter/unit))
	return time.Duration(number * float64(unit)), true
}
