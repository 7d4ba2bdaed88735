package openaimodel

import (
	"errors"
	"io"

	"errand/activities/model"
	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/sse"
)

const (
	// maxLineBytes bounds one line of a stream. The last event of a response
	// repeats the whole answer in one line.
	maxLineBytes = maxReplyBytes
	// maxStreamBytes bounds a whole stream: some hundred bytes go with each
	// token, and the text comes again at the end.
	maxStreamBytes = 4 * maxReplyBytes
)

var errIncomplete = errors.New("ask the model: the stream ended before the answer was whole")

// stream is an answer on its way.
type stream struct {
	protocol.Assembler
	last []byte // the data of the newest event
	err  error
}

// follow reads a stream until its answer is complete, it fails or it ends. The
// error is that of reading.
func (s *stream) follow(source io.Reader) error {
	events := sse.NewReader(source, maxLineBytes)
	for {
		sent, err := events.Next()
		if errors.Is(err, io.EOF) || err != nil && s.IsComplete() {
			return nil
		}
		var limit sse.TooLargeError
		if errors.As(err, &limit) {
			s.err = limit
			return nil
		}
		if err != nil {
			return err
		}
		s.last = sent.Data
		event, err := protocol.ReadEvent(sent)
		last := false
		if err == nil {
			last, err = s.Add(event)
		}
		if s.err = err; err != nil || last {
			return nil
		}
	}
}

// answer is what the stream said once it has been followed. The error is not
// yet classified, but for errIncomplete, which is one of the network.
func (s *stream) answer() (model.Answer, error) {
	switch {
	case s.err != nil:
		return model.Answer{}, s.err
	case !s.IsComplete():
		return model.Answer{}, errIncomplete
	}
	return s.Answer()
}
