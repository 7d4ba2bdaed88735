// Package protocol is what the two APIs of model servers, Chat Completions and
// Responses, have in common: what a client needs to know of each, the events of
// a stream, the errors of servers, and the pieces that requests and answers of
// both are made of. It does no input or output.
package protocol

import (
	"errors"

	"errand/activities/model"
	"errand/activities/openaimodel/rawjson"
)

// API is one of the two: where it is, how a request is written and how an answer
// is read.
type API struct {
	// Path stands behind the base URL.
	Path string
	// Encode writes a request that Check has passed. It fails with a
	// *model.Error where the API has no form for it.
	Encode func(model.Request) (rawjson.Object, error)
	// Decode reads the body of a successful reply. It fails with a ServerError
	// where the body reports one; any other error says why it cannot be read.
	Decode func(body []byte) (model.Answer, error)
	// StreamOptions are the members of a request that ask for a stream.
	StreamOptions rawjson.Object
	// NewAssembler begins to read one stream.
	NewAssembler func() Assembler
}

// Assembler puts an answer together from the events of a stream.
type Assembler interface {
	// Add reads one event. It is true for the last one that matters. It fails as
	// Decode does.
	Add(Event) (last bool, err error)
	// IsComplete tells whether nothing that matters is missing.
	IsComplete() bool
	// Answer is what the stream said. It fails as Decode does.
	Answer() (model.Answer, error)
}

// MaxStreamedItems bounds the items or calls that one stream may open; no honest
// answer comes near it.
const MaxStreamedItems = 4096

// ErrTooManyItems is the error for an item beyond MaxStreamedItems.
var ErrTooManyItems = errors.New("the stream has too many items")
