package harness

import (
	"net/http"
	"time"
)

// Answer is what the model says to one request. Make one with Say, Call, Calls,
// Reasoning, Failure, Status or Raw, and bend it with the methods, each of
// which returns a changed copy.
type Answer struct {
	parts []part
	usage *tokens
	stop  stop
	exact *exact
	// header is added to the HTTP answer.
	header http.Header
	manner manner
}

// part is a piece of an answer: text, reasoning or a call.
type part interface{ isPart() }

type (
	textPart      string
	reasoningPart string
	// ToolCall is one call that the model asks for.
	ToolCall struct {
		// ID is the call id: empty for call_<turn>_<index>, NoID for none.
		ID   string
		Name string
		// Arguments are sent as they are, JSON or not.
		Arguments string
	}
)

func (textPart) isPart()      {}
func (reasoningPart) isPart() {}
func (ToolCall) isPart()      {}

// NoID as the ID of a call leaves it empty, as some model servers do.
const NoID = "-"

type tokens struct{ input, output int }

// usual is the usage of answers that name none: real servers always report one.
var usual = tokens{input: 10, output: 5}

// stop says why the model ended its answer.
type stop int

const (
	whole stop = iota
	cutAtLength
	cutByFilter
)

// exact is an HTTP answer given in full.
type exact struct {
	status int
	body   string
}

// manner is how an answer is delivered.
type manner struct {
	after      time.Duration
	hang, drop bool
}

// Say answers with text.
func Say(text string) Answer { return Answer{parts: []part{textPart(text)}, usage: &usual} }

// Reasoning answers with a reasoning item; And the rest to it.
func Reasoning(text string) Answer { return Answer{parts: []part{reasoningPart(text)}, usage: &usual} }

// Call asks for one call. Arguments are JSON text, or whatever a bad model
// would write.
func Call(name, arguments string) Answer { return Calls(ToolCall{Name: name, Arguments: arguments}) }

// Calls asks for a batch of calls.
func Calls(calls ...ToolCall) Answer {
	answer := Answer{usage: &usual}
	for _, call := range calls {
		answer.parts = append(answer.parts, call)
	}
	return answer
}

// Status answers with an HTTP status and a body as given.
func Status(status int, body string) Answer { return Answer{exact: &exact{status, body}} }

// Failure answers with an error in OpenAI's shape.
func Failure(status int, code, message string) Answer {
	return Status(status, string(errorBody(status, code, message)))
}

// Raw answers 200 with a body that is sent byte for byte. For a streamed
// request it goes out frame by frame, split after each blank line.
func Raw(body string) Answer { return Status(http.StatusOK, body) }

// Hang says nothing until the client gives up or the model is Released.
func Hang() Answer { return Say("released").Hang() }

// Drop breaks the connection in the middle of an answer.
func Drop() Answer { return Say("this text never arrives whole").Drop() }
