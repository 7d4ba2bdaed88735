package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"errand/tools/retryafter"
)

// waitOf is how long a provider asks to wait: Retry-After in seconds or as a
// date, or else the longest of the windows in X-RateLimit-Reset that have
// nothing left.
func waitOf(h http.Header) time.Duration {
	if asked, ok := retryafter.Wait(h, time.Now()); ok {
		return asked
	}
	left, reset := list(h.Get("X-RateLimit-Remaining")), list(h.Get("X-RateLimit-Reset"))
	wait := 0
	for i, seconds := range reset {
		if i < len(left) && left[i] == 0 {
			wait = max(wait, seconds)
		}
	}
	return time.Duration(wait) * time.Second
}

// list reads numbers with commas between them; nil if there is anything else.
func list(text string) []int {
	var all []int
	for one := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(one))
		if err != nil || n < 0 || n > 1<<30 {
			return nil
		}
		all = append(all, n)
	}
	return all
}
