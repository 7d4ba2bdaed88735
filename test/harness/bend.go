package harness

import (
	"net/http"
	"slices"
	"time"
)

// And says more in the same answer: Say("Looking.").And(Call("look", "{}")).
func (a Answer) And(more Answer) Answer {
	a.parts = slices.Concat(a.parts, more.parts)
	return a
}

// WithUsage reports these tokens.
func (a Answer) WithUsage(input, output int) Answer {
	a.usage = &tokens{input, output}
	return a
}

// WithoutUsage reports none, as some servers do.
func (a Answer) WithoutUsage() Answer {
	a.usage = nil
	return a
}

// WithHeader adds a header to the HTTP answer, for example Retry-After.
func (a Answer) WithHeader(name, value string) Answer {
	if a.header = a.header.Clone(); a.header == nil {
		a.header = http.Header{}
	}
	a.header.Add(name, value)
	return a
}

// Truncated says that the answer was cut at the output token limit.
func (a Answer) Truncated() Answer {
	a.stop = cutAtLength
	return a
}

// Filtered says that the answer was cut by a content filter.
func (a Answer) Filtered() Answer {
	a.stop = cutByFilter
	return a
}

// After waits before it answers.
func (a Answer) After(delay time.Duration) Answer {
	a.manner.after = delay
	return a
}

// Hang holds the answer back until the model is Released. If the client gives
// up before, it gets none.
func (a Answer) Hang() Answer {
	a.manner.hang = true
	return a
}

// Drop breaks the connection when half of the body has been sent.
func (a Answer) Drop() Answer {
	a.manner.drop = true
	return a
}
