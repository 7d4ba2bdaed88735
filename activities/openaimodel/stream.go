package openaimodel

import (
	"errors"
	"io"

	"errand/activities"
)

// maxPieces bounds the items or calls that one stream may open; no honest
// answer comes near it.
const maxPieces = 4096

var (
	errUnfinished = errors.New("ask the model: the stream ended before the answer was whole")
	errTooMany    = errors.New("the stream has too many items")
)

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
	return s.answer(got)
}
