package schema

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// matchTimeout ends one match that backtracks for ever.
	matchTimeout = 50 * time.Millisecond
	// maxPattern bounds a pattern in bytes, and maxBacktrackingPattern one that
	// goes to the backtracking engine.
	maxPattern             = 16 << 10
	maxBacktrackingPattern = 4 << 10
	// smallProgram is the size up to which the time of a match is estimated by
	// that of the pattern and the text. Of larger ones it is measured: a{1,1000}
	// is large, and mostly fast.
	smallProgram = 256
	// maxProgram bounds the instructions that a pattern compiles to: a{1000}
	// has seven bytes and a thousand of them.
	maxProgram = 20_000
)

// programSize estimates the instructions of a pattern, and the cost of
// compiling them. It fails for what RE2 cannot read, and for what is too large.
func programSize(pattern string) (size int, cost time.Duration, err error) {
	if len(pattern) > maxPattern {
		return 0, 0, fmt.Errorf("%w: it has %d bytes, at most %d are allowed", errLarge, len(pattern), maxPattern)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, 0, err
	}
	size, runes := instructions(parsed)
	if size > maxProgram {
		return 0, 0, fmt.Errorf("%w: its repeats come to more than %d steps", errLarge, maxProgram)
	}
	return size, time.Duration(size)*costOfInstruction + time.Duration(runes+len(pattern))*costOfRune, nil
}

var errLarge = errors.New("the pattern is too large")

const (
	costOfInstruction = 1500 * time.Nanosecond
	costOfRune        = 50 * time.Nanosecond
)

// instructions counts those of a parsed pattern, and the borders of its classes
// of characters. It stops where there are too many.
func instructions(re *syntax.Regexp) (size, runes int) {
	for _, sub := range re.Sub {
		n, r := instructions(sub)
		size, runes = min(size+n, maxProgram+1), runes+r
	}
	switch re.Op {
	case syntax.OpRepeat:
		times := max(re.Min, re.Max, 1)
		if re.Max < 0 {
			times = re.Min + 1
		}
		return min((size+1)*times, maxProgram+1), runes * times
	case syntax.OpLiteral, syntax.OpCharClass:
		if re.Op == syntax.OpLiteral {
			return len(re.Rune), len(re.Rune)
		}
		return 1, len(re.Rune)
	default: // the others cost little beside their parts
	}
	return min(size+2, maxProgram+1), runes
}

// engine compiles the patterns of one schema. RE2 comes first, because it
// cannot hang; schemas are written for ECMA-262, so what RE2 cannot read
// (a lookahead, say) goes to an engine that can, on the budget of whoever
// checks.
type engine struct {
	// turn holds a token while nobody checks by patterns that are measured: the
	// library does not say for whom it matches.
	turn chan struct{}
	// measures is true when there is such a pattern. It is known, and sealed,
	// when the schema is compiled; a text that is held against the format regex
	// makes patterns that nobody matches.
	measures, sealed bool
	budget           *Budget
	// late is the pattern that found the budget spent, or that ran out of time.
	late string
}

func newEngine() *engine {
	e := &engine{turn: make(chan struct{}, 1)}
	e.turn <- struct{}{}
	return e
}

// within does something for which patterns match on a budget, after others that
// do. late is a pattern that could not be matched in time.
func (e *engine) within(b *Budget, do func()) (late string, err error) {
	if !e.measures {
		do()
		return "", nil
	}
	select {
	case <-e.turn:
	case <-b.ctx.Done():
		return "", b.ctx.Err()
	}
	defer func() {
		e.budget = nil
		e.turn <- struct{}{}
	}()
	e.budget, e.late = b, ""
	do()
	return e.late, nil
}

func (e *engine) compile(pattern string) (jsonschema.Regexp, error) {
	size, _, err := programSize(pattern)
	if errors.Is(err, errLarge) {
		return nil, err
	}
	if err == nil {
		re, err := regexp.Compile(pattern)
		if err != nil || size <= smallProgram {
			return &linear{re, size}, err
		}
		return e.measured(pattern, func(text string, end time.Time) (bool, error) {
			in := &runes{text: text, end: end}
			ok := re.MatchReader(in)
			return ok, in.late
		}), nil
	}
	if len(pattern) > maxBacktrackingPattern {
		return nil, errors.New("too long for a pattern with lookaround or back-references")
	}
	for _, option := range []regexp2.RegexOptions{regexp2.ECMAScript, regexp2.None} {
		wide, wideErr := regexp2.Compile(pattern, option)
		if wideErr == nil {
			wide.MatchTimeout = matchTimeout
			return e.measured(pattern, func(text string, _ time.Time) (bool, error) { return wide.MatchString(text) }), nil
		}
	}
	return nil, err
}

// linear is a pattern whose matches take at most its size times the text.
type linear struct {
	*regexp.Regexp
	size int
}

// measured is a pattern whose matches take from the patience of a budget what
// they took, and end with it.
type measured struct {
	pattern string
	engine  *engine
	// match fails when it could not find out until the end.
	match func(text string, end time.Time) (bool, error)
}

func (e *engine) measured(pattern string, match func(string, time.Time) (bool, error)) *measured {
	if !e.sealed {
		e.measures = true
	}
	return &measured{pattern, e, match}
}

func (m *measured) String() string { return m.pattern }

// MatchString is false for text that could not be matched in time; the engine
// then knows the pattern, and the check says nothing about the value.
func (m *measured) MatchString(text string) bool {
	budget := m.engine.budget
	if budget == nil || budget.patience <= 0 || budget.ctx.Err() != nil {
		m.engine.late = m.pattern
		return false
	}
	start := time.Now()
	ok, err := m.match(text, start.Add(budget.patience))
	budget.patience -= time.Since(start)
	if err != nil {
		m.engine.late = m.pattern
	}
	return ok && err == nil
}

// runes reads a text until a point in time.
type runes struct {
	text string
	at   int
	read int
	end  time.Time
	late error
}

var errLate = errors.New("it takes too long")

// ReadRune implements io.RuneReader.
func (r *runes) ReadRune() (rune, int, error) {
	if r.at == len(r.text) {
		return 0, 0, io.EOF
	}
	if r.read++; r.read%16 == 0 && time.Now().After(r.end) {
		r.late = errLate
		return 0, 0, io.EOF
	}
	char, size := utf8.DecodeRuneInString(r.text[r.at:])
	r.at += size
	return char, size, nil
}
