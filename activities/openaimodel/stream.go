package openaimodel

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"errand/activities"
	"errand/tools/item"
)

// doneMark ends a chat stream, and with some servers any stream. It is the
// kind of the event that it becomes.
const doneMark = "[DONE]"

// maxPieces bounds the items or calls that one stream may open; no honest
// answer comes near it.
const maxPieces = 4096

var (
	errUnfinished = errors.New("ask the model: the stream ended before the answer was whole")
	errNotJSON    = errors.New("the stream has an event that is not JSON")
	errTooMany    = errors.New("the stream has too many items")
)

// event is one event of a stream.
type event struct {
	// kind is the type in the data. Servers that leave it out there name the
	// event before it.
	kind   string
	fields map[string]json.RawMessage
	data   []byte
}

// assembler puts an answer together from the events of a stream.
type assembler interface {
	// take reads one event. It is true for the last one that matters. The
	// error is a complaint, or says why the event cannot be read.
	take(event) (bool, error)
	// whole tells whether nothing that matters is missing.
	whole() bool
	// answer is what the stream said; the reply is for its errors.
	answer(reply) (activities.ModelAnswer, error)
}

// stream is an answer on its way.
type stream struct {
	assembler
	last []byte // the data of the newest event
	err  error
}

// follow reads a stream until its answer is whole, it fails or it ends. The
// error is that of reading.
func (s *stream) follow(source io.Reader) error {
	all := newFrames(source)
	for {
		got, err := all.next()
		if errors.Is(err, io.EOF) || err != nil && s.whole() {
			return nil
		}
		if err != nil {
			return err
		}
		s.last = got.data
		e, err := got.event()
		last := false
		if err == nil {
			last, err = s.take(e)
		}
		if s.err = err; err != nil || last {
			return nil
		}
	}
}

// result is the answer once the stream has been followed.
func (s *stream) result(got reply) (activities.ModelAnswer, error) {
	got.body = s.last
	var told complaint
	var limit tooLarge
	switch {
	case errors.As(s.err, &limit):
		return activities.ModelAnswer{}, got.oversize(limit)
	case errors.As(s.err, &told):
		return activities.ModelAnswer{}, got.complaintWithin(told)
	case s.err != nil:
		return activities.ModelAnswer{}, got.garbled(s.err.Error())
	case !s.whole():
		return activities.ModelAnswer{}, errUnfinished
	}
	answer, err := s.answer(got)
	if err == nil && answer.Stop == activities.StopCompleted && nameless(answer.Items) {
		// Its beginning was lost on the way. In an answer that was cut it may
		// never have come.
		err = got.fault("", false, "the stream brought a call without a name")
	}
	if err != nil {
		return activities.ModelAnswer{}, err
	}
	return answer, nil
}

func nameless(items []json.RawMessage) bool {
	for _, raw := range items {
		head, err := item.Peek(raw)
		if err == nil && head.Type == item.TypeFunctionCall && strings.TrimSpace(head.Name) == "" {
			return true
		}
	}
	return false
}

// event reads what a frame holds. JSON that is no object says nothing to
// anybody, and no more does what was cut.
func (f frame) event() (event, error) {
	data := bytes.TrimSpace(f.data)
	if string(data) == doneMark {
		return event{kind: doneMark}, nil
	}
	e := event{kind: f.name, data: data}
	if json.Unmarshal(data, &e.fields) != nil {
		if f.cut || json.Valid(data) {
			return event{}, nil
		}
		return event{}, errNotJSON
	}
	if kind := scalar(e.fields["type"]); kind != "" {
		e.kind = kind
	}
	if told, failed := e.complaint(); failed {
		return event{}, told
	}
	return e, nil
}

// complaint is what an event says went wrong, in the shape of an error body,
// of an event of type error, or of a chunk with an error in it. A response's
// own failure is for its assembler.
func (e event) complaint() (complaint, bool) {
	flat := e.kind == "error" || scalar(e.fields["object"]) == "error"
	if strings.HasPrefix(e.kind, "response.") || !flat && !reportsError(e.fields["error"]) {
		return complaint{}, false
	}
	told := readComplaint(e.data)
	if told.kind == "error" {
		told.kind = "" // the event's type, not the error's
	}
	return told, true
}

// fieldNames begin a stream that says what it is in no header.
var fieldNames = []string{":", "data:", "event:", "id:", "retry:"}

// streams tells an event stream from a body by how it begins, since servers
// that cannot stream answer whole, and content types are not to be relied on.
func streams(body *bufio.Reader, header http.Header) bool {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	declared := kind == "text/event-stream"
	for {
		first, err := body.Peek(1)
		if err != nil {
			return declared
		}
		switch first[0] {
		case ' ', '\t', '\r', '\n':
			_, _ = body.Discard(1)
			continue
		case '{', '[', '<', '"':
			return false
		}
		break
	}
	if declared {
		return true
	}
	begun, _ := body.Peek(len("event:"))
	for _, name := range fieldNames {
		if bytes.HasPrefix(begun, []byte(name)) {
			return true
		}
	}
	return false
}
