package harness

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// Script decides what the model says to a request. It is called from many
// goroutines at once.
type Script func(Decoded) Answer

// Always gives the same answer to everything.
func Always(answer Answer) Script { return func(Decoded) Answer { return answer } }

// Rounds gives the first answer to a conversation in which the assistant has
// said nothing yet, the second to one with one assistant turn, and so on. A
// conversation that goes on for longer is refused, which fails a run at once.
func Rounds(answers ...Answer) Script {
	return func(request Decoded) Answer {
		turn := request.Turn()
		if turn < len(answers) {
			return answers[turn]
		}
		return Failure(http.StatusBadRequest, "script_ended",
			fmt.Sprintf("the script has %d rounds and was asked for round %d", len(answers), turn+1))
	}
}

// FailFirst gives failure to the first n requests that ask the same, then
// leaves it to the script. Two runs with the same conversation share a count.
func FailFirst(n int, failure Answer, then Script) Script {
	var mu sync.Mutex
	seen := map[string]int{}
	return func(request Decoded) Answer {
		key := request.Fingerprint()
		mu.Lock()
		seen[key]++
		attempt := seen[key]
		mu.Unlock()
		if attempt <= n {
			return failure
		}
		return then(request)
	}
}

// Case is a script for some requests.
type Case struct {
	matches func(Decoded) bool
	script  Script
}

// Match leaves a request to the first case that it fits. One that fits none is
// refused, which fails a run at once.
func Match(cases ...Case) Script {
	return func(request Decoded) Answer {
		for _, one := range cases {
			if one.matches(request) {
				return one.script(request)
			}
		}
		return Failure(http.StatusBadRequest, "no_case",
			fmt.Sprintf("no case of the script fits; the last word of the user is %q", request.LastUserText()))
	}
}

// When is for requests in which the last word of the user contains text.
func When(text string, script Script) Case {
	return WhenFunc(func(request Decoded) bool { return strings.Contains(request.LastUserText(), text) }, script)
}

// WhenBegun is for conversations that the user began with text. Unlike When it
// still fits after the user has said something else.
func WhenBegun(text string, script Script) Case {
	return WhenFunc(func(request Decoded) bool { return strings.Contains(request.FirstUserText(), text) }, script)
}

// WhenFunc is for the requests that matches picks.
func WhenFunc(matches func(Decoded) bool, script Script) Case { return Case{matches, script} }

// Otherwise is for every request: the last case.
func Otherwise(script Script) Case {
	return WhenFunc(func(Decoded) bool { return true }, script)
}
