// Package chat translates between Errand's form of a request and an answer, that
// of the Responses API, and Chat Completions.
package chat

import (
	"encoding/json"

	"errand/activities/openaimodel/protocol"
	"errand/activities/openaimodel/rawjson"
)

// API is Chat Completions.
var API = protocol.API{
	Path:   "chat/completions",
	Encode: encode,
	Decode: decode,
	StreamOptions: rawjson.Object{
		{Key: "stream", Value: json.RawMessage(`true`)},
		{Key: "stream_options", Value: json.RawMessage(`{"include_usage":true}`)},
	},
	NewAssembler: func() protocol.Assembler { return &assembler{} },
}
