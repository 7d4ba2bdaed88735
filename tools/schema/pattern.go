package schema

import (
	"errors"
	"regexp"
	"sync"
	"time"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// matchTimeout ends one match that backtracks for ever.
	matchTimeout = 50 * time.Millisecond
	// matchBudget is what all backtracking matches of one schema may take
	// within a matchWindow: many short catastrophes are one long one.
	matchBudget = time.Second
	matchWindow = 10 * time.Second
	// maxBacktracking bounds the patterns that go to the backtracking engine.
	maxBacktracking = 4096
)

// engine compiles the patterns of one schema. RE2 comes first, because it
// cannot hang; schemas are written for ECMA-262, so what RE2 cannot read
// (a lookahead, say) goes to an engine that can, on a budget.
type engine struct {
	mu    sync.Mutex
	since time.Time
	spent time.Duration
}

func newEngine() *engine { return &engine{} }

func (e *engine) compile(pattern string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err == nil {
		return re, nil
	}
	if len(pattern) > maxBacktracking {
		return nil, errors.New("too long for a pattern with lookaround or back-references")
	}
	for _, option := range []regexp2.RegexOptions{regexp2.ECMAScript, regexp2.None} {
		wide, wideErr := regexp2.Compile(pattern, option)
		if wideErr == nil {
			wide.MatchTimeout = matchTimeout
			return &backtracking{wide, e}, nil
		}
	}
	return nil, err
}

// exhausted tells whether the schema has used up its budget for now.
func (e *engine) exhausted(now time.Time) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if now.Sub(e.since) > matchWindow {
		e.since, e.spent = now, 0
	}
	return e.spent > matchBudget
}

func (e *engine) charge(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.spent += d
}

// backtracking is a pattern on the engine's budget.
type backtracking struct {
	re     *regexp2.Regexp
	engine *engine
}

func (b *backtracking) String() string { return b.re.String() }

// MatchString is false for text that could not be matched in time: a pattern
// may be there to keep something out.
func (b *backtracking) MatchString(text string) bool {
	start := time.Now()
	if b.engine.exhausted(start) {
		return false
	}
	ok, err := b.re.MatchString(text)
	b.engine.charge(time.Since(start))
	return ok && err == nil
}
