package harness

import "encoding/json"

type chatChunk struct {
	ID                string        `json:"id"`
	Object            string        `json:"object"`
	Created           int64         `json:"created"`
	Model             string        `json:"model"`
	ServiceTier       string        `json:"service_tier"`
	SystemFingerprint string        `json:"system_fingerprint"`
	Choices           []chunkChoice `json:"choices"`
	// Usage is left out, null, or the numbers, by what was asked for.
	Usage json.RawMessage `json:"usage,omitempty"`
}

type chunkChoice struct {
	Index        int             `json:"index"`
	Delta        json.RawMessage `json:"delta"`
	Logprobs     *string         `json:"logprobs"`
	FinishReason *string         `json:"finish_reason"`
}

type contentDelta struct {
	Content string `json:"content"`
}

type reasoningDelta struct {
	Reasoning string `json:"reasoning_content"`
}

type callsDelta struct {
	ToolCalls []json.RawMessage `json:"tool_calls"`
}

type callOpened struct {
	Index int `json:"index"`
	chatCall
}

type callContinued struct {
	Index    int `json:"index"`
	Function struct {
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// chatFrames is the streamed answer of the Chat Completions API.
func chatFrames(r reply) [][]byte {
	var asked struct {
		Options struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
	}
	if err := json.Unmarshal(r.request.Request.Body, &asked); err != nil {
		panic("harness: a body that was decoded is none: " + err.Error())
	}
	chunk := chatChunk{
		ID: r.chatID(), Object: "chat.completion.chunk", Created: createdAt, Model: r.request.Model,
		ServiceTier: "default", SystemFingerprint: systemFingerprint,
	}
	usage := r.chatUsage()
	withUsage := asked.Options.IncludeUsage && usage != nil
	if withUsage {
		chunk.Usage = json.RawMessage("null")
	}
	var frames [][]byte
	add := func(chunk chatChunk) {
		frames = append(frames, []byte("data: "+string(encode(chunk))+"\n\n"))
	}
	for _, delta := range r.chatDeltas() {
		chunk.Choices = []chunkChoice{{Delta: delta}}
		add(chunk)
	}
	reason := r.finishReason()
	chunk.Choices = []chunkChoice{{Delta: json.RawMessage("{}"), FinishReason: &reason}}
	add(chunk)
	if withUsage {
		chunk.Choices, chunk.Usage = []chunkChoice{}, encode(usage)
		add(chunk)
	}
	return append(frames, []byte("data: [DONE]\n\n"))
}

// chatDeltas bring the message: its role, then what it says, then the calls,
// each opened with its name and filled with its arguments.
func (r reply) chatDeltas() []json.RawMessage {
	answer := r.chatAnswer()
	role := chatAnswer{Role: answer.Role}
	if answer.Content != nil {
		role.Content = new(string)
	}
	deltas := []json.RawMessage{encode(role)}
	for _, piece := range pieces(answer.Reasoning) {
		deltas = append(deltas, encode(reasoningDelta{piece}))
	}
	if answer.Content != nil {
		for _, piece := range pieces(*answer.Content) {
			deltas = append(deltas, encode(contentDelta{piece}))
		}
	}
	for i, call := range answer.ToolCalls {
		opened := callOpened{i, call}
		opened.Function.Arguments = ""
		deltas = append(deltas, encode(callsDelta{[]json.RawMessage{encode(opened)}}))
		for _, piece := range pieces(call.Function.Arguments) {
			more := callContinued{Index: i}
			more.Function.Arguments = piece
			deltas = append(deltas, encode(callsDelta{[]json.RawMessage{encode(more)}}))
		}
	}
	return deltas
}
