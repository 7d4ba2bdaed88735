package harness

import "encoding/json"

// responseObject is a Responses object with all that OpenAI puts in it.
type responseObject struct {
	ID                string            `json:"id"`
	Object            string            `json:"object"`
	CreatedAt         int64             `json:"created_at"`
	Status            string            `json:"status"`
	CompletedAt       *int64            `json:"completed_at"`
	Error             *string           `json:"error"`
	IncompleteDetails *incompleteReason `json:"incomplete_details"`
	Model             string            `json:"model"`
	Output            []json.RawMessage `json:"output"`
	Usage             *responsesUsage   `json:"usage"`
	echoed
}

type incompleteReason struct {
	Reason string `json:"reason"`
}

type responsesUsage struct {
	InputTokens  int `json:"input_tokens"`
	InputDetails struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputTokens  int `json:"output_tokens"`
	OutputDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	TotalTokens int `json:"total_tokens"`
}

// echoed are the fields that come back as the request had them.
type echoed struct {
	Background         json.RawMessage `json:"background"`
	FrequencyPenalty   json.RawMessage `json:"frequency_penalty"`
	Instructions       json.RawMessage `json:"instructions"`
	MaxOutputTokens    json.RawMessage `json:"max_output_tokens"`
	MaxToolCalls       json.RawMessage `json:"max_tool_calls"`
	Metadata           json.RawMessage `json:"metadata"`
	ParallelToolCalls  json.RawMessage `json:"parallel_tool_calls"`
	PresencePenalty    json.RawMessage `json:"presence_penalty"`
	PreviousResponseID json.RawMessage `json:"previous_response_id"`
	PromptCacheKey     json.RawMessage `json:"prompt_cache_key"`
	Reasoning          json.RawMessage `json:"reasoning"`
	SafetyIdentifier   json.RawMessage `json:"safety_identifier"`
	ServiceTier        json.RawMessage `json:"service_tier"`
	Store              json.RawMessage `json:"store"`
	Temperature        json.RawMessage `json:"temperature"`
	Text               json.RawMessage `json:"text"`
	ToolChoice         json.RawMessage `json:"tool_choice"`
	Tools              json.RawMessage `json:"tools"`
	TopLogprobs        json.RawMessage `json:"top_logprobs"`
	TopP               json.RawMessage `json:"top_p"`
	Truncation         json.RawMessage `json:"truncation"`
	User               json.RawMessage `json:"user"`
}

// unsaid is what OpenAI reports for fields that a request leaves out.
var unsaid = json.RawMessage(`{
	"background": false, "frequency_penalty": 0, "metadata": {}, "parallel_tool_calls": true,
	"presence_penalty": 0, "reasoning": {"effort": null, "summary": null}, "service_tier": "default",
	"store": true, "temperature": 1, "text": {"format": {"type": "text"}}, "tool_choice": "auto",
	"tools": [], "top_logprobs": 0, "top_p": 1, "truncation": "disabled"
}`)

// responsesBody is the whole answer of the Responses API.
func responsesBody(r reply) []byte { return encode(r.finished()) }

// begun is the object at the start of a stream.
func (r reply) begun() responseObject {
	object := responseObject{
		ID: "resp_" + r.key, Object: "response", CreatedAt: createdAt, Status: "in_progress",
		Model: r.request.Model, Output: []json.RawMessage{},
	}
	for _, fields := range [][]byte{unsaid, r.request.Request.Body} {
		if err := json.Unmarshal(fields, &object.echoed); err != nil {
			panic("harness: a body that was decoded is none: " + err.Error())
		}
	}
	return object
}

// finished is the object at the end.
func (r reply) finished() responseObject {
	object := r.begun()
	object.Output = r.output()
	switch r.answer.stop {
	case whole:
		object.Status = "completed"
		now := int64(createdAt)
		object.CompletedAt = &now
	case cutAtLength:
		object.Status = "incomplete"
		object.IncompleteDetails = &incompleteReason{"max_output_tokens"}
	case cutByFilter:
		object.Status = "incomplete"
		object.IncompleteDetails = &incompleteReason{"content_filter"}
	}
	if used := r.answer.usage; used != nil {
		object.Usage = &responsesUsage{InputTokens: used.input, OutputTokens: used.output, TotalTokens: used.input + used.output}
	}
	return object
}
