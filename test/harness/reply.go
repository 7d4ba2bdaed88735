package harness

import (
	"fmt"
	"unicode/utf8"
)

// createdAt is the birth of every object. It never changes, so that the same
// answer is the same bytes.
const createdAt = 1767225600

// dialect is how one API is read and spoken.
type dialect struct {
	decode func(Request) (Decoded, error)
	// body is the whole answer, frames the streamed one.
	body   func(reply) []byte
	frames func(reply) [][]byte
}

// dialects by the path that speaks them.
var dialects = map[string]dialect{
	"/v1/responses":        {decodeResponses, responsesBody, responsesFrames},
	"/v1/chat/completions": {decodeChat, chatBody, chatFrames},
}

// reply is an answer to one request, about to be written down.
type reply struct {
	request Decoded
	answer  Answer
	// key makes the ids: it is the same for requests that ask the same.
	key string
}

func newReply(request Decoded, answer Answer) reply {
	reply := reply{request: request, answer: answer, key: request.Fingerprint()}
	turn, index := request.Turn()+1, 0
	parts := make([]part, len(answer.parts))
	for i, one := range answer.parts {
		if call, ok := one.(ToolCall); ok {
			switch call.ID {
			case "":
				call.ID = fmt.Sprintf("call_%d_%d", turn, index)
			case NoID:
				call.ID = ""
			}
			index++
			one = call
		}
		parts[i] = one
	}
	reply.answer.parts = parts
	return reply
}

// pieces cuts text in up to three, between characters, as a stream brings it.
func pieces(text string) []string {
	var all []string
	for left := 3; left > 1 && len(text) > 1; left-- {
		cut := len(text) / left
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut++
		}
		if cut > 0 && cut < len(text) {
			all = append(all, text[:cut])
			text = text[cut:]
		}
	}
	if text != "" {
		all = append(all, text)
	}
	return all
}

// errorBody is an error in OpenAI's shape.
func errorBody(status int, code, message string) []byte {
	kind := "invalid_request_error"
	if status >= 500 {
		kind = "server_error"
	}
	type failure struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code"`
	}
	return encode(struct {
		Error failure `json:"error"`
	}{failure{Message: message, Type: kind, Code: code}})
}
