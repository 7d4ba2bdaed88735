package harness

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"errand/tools/item"
)

// Request is one HTTP request as it came in.
type Request struct {
	Method string
	Path   string
	Header http.Header
	// Body is exact, byte for byte.
	Body []byte
	At   time.Time
}

// API is the dialect that a request speaks.
type API string

const (
	// ResponsesAPI is POST /v1/responses.
	ResponsesAPI API = "responses"
	// ChatAPI is POST /v1/chat/completions.
	ChatAPI API = "chat"
)

// Decoded is a request for an inference, the same for both dialects.
type Decoded struct {
	API   API
	Model string
	// Instructions are, in the chat dialect, the system or developer message
	// at the head of the conversation.
	Instructions string
	// Items is the conversation in the shape of Responses items.
	Items             []json.RawMessage
	Tools             []Tool
	ToolChoice        json.RawMessage
	ParallelToolCalls *bool
	Stream            bool
	// Request is what was decoded.
	Request Request
}

// Tool is a function that a request offers to the model.
type Tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
}

// CallOutput is the outcome of one call as the model reads it.
type CallOutput struct {
	CallID string
	Output string
}

// Turn counts the assistant turns that the conversation holds already. Items
// that the assistant said in a row are one turn.
func (d Decoded) Turn() int {
	turns, before := 0, false
	for _, raw := range d.Items {
		now := byAssistant(raw)
		if now && !before {
			turns++
		}
		before = now
	}
	return turns
}

// FirstUserText is what the conversation began with.
func (d Decoded) FirstUserText() string {
	texts := d.userTexts()
	if len(texts) == 0 {
		return ""
	}
	return texts[0]
}

// LastUserText is the latest word of the user.
func (d Decoded) LastUserText() string {
	texts := d.userTexts()
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}

// Outputs are the outcomes that came since the last assistant turn, in order.
func (d Decoded) Outputs() []CallOutput {
	var outputs []CallOutput
	for _, raw := range d.Items {
		if byAssistant(raw) {
			outputs = nil
			continue
		}
		var output struct {
			Type   string          `json:"type"`
			CallID string          `json:"call_id"`
			Output json.RawMessage `json:"output"`
		}
		if json.Unmarshal(raw, &output) == nil && output.Type == item.TypeFunctionCallOutput {
			outputs = append(outputs, CallOutput{output.CallID, plain(output.Output)})
		}
	}
	return outputs
}

// Fingerprint is the same for two requests exactly if they ask the same:
// the same model, instructions and conversation.
func (d Decoded) Fingerprint() string {
	sum := sha256.New()
	for _, part := range append([]json.RawMessage{encode(d.Model), encode(d.Instructions)}, d.Items...) {
		sum.Write(part)
		sum.Write([]byte{'\n'})
	}
	return hex.EncodeToString(sum.Sum(nil))[:24]
}

func (d Decoded) userTexts() []string {
	var texts []string
	for _, raw := range d.Items {
		if head, err := item.Peek(raw); err == nil && head.Type == item.TypeMessage && head.Role == "user" {
			texts = append(texts, item.Text(raw))
		}
	}
	return texts
}

func byAssistant(raw json.RawMessage) bool {
	head, err := item.Peek(raw)
	if err != nil {
		return false
	}
	return head.Role == "assistant" || head.Type == item.TypeReasoning || item.IsCall(head.Type)
}

// plain is the text of a JSON string, or the JSON itself.
func plain(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return strings.TrimSpace(string(raw))
}
