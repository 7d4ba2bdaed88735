// Package retryafter reads how long an HTTP server asks to wait before the next
// request. Standard library only.
package retryafter

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longest keeps a wait within a time.Duration, whatever a server writes.
const longest = (1 << 30) * time.Second

// Wait is how long the headers of a response ask to wait, never negative, and
// whether they ask for anything. Retry-After-Ms goes before Retry-After, which
// holds seconds or a date; the first value that can be read counts, since
// proxies repeat the header. A date counts from the response's own Date, or from
// now without one: the server's clock may not agree with ours.
//
// There is no useful upper bound: a caller that sleeps sets its own.
func Wait(header http.Header, now time.Time) (time.Duration, bool) {
	if theirs, err := http.ParseTime(header.Get("Date")); err == nil {
		now = theirs
	}
	for _, value := range header.Values("Retry-After-Ms") {
		if wait, ok := number(value, time.Millisecond); ok {
			return wait, true
		}
	}
	for _, value := range header.Values("Retry-After") {
		if wait, ok := number(value, time.Second); ok {
			return wait, true
		}
		if date, err := http.ParseTime(strings.TrimSpace(value)); err == nil {
			return min(max(date.Sub(now), 0), longest), true
		}
	}
	return 0, false
}

// number reads a number of units. The bound is applied before the conversion,
// which would overflow.
func number(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(n) {
		return 0, false
	}
	n = min(max(n, 0), float64(longest/unit))
	return time.Duration(n * float64(unit)), true
}
