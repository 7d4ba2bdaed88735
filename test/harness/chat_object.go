package harness

import "strings"

type chatObject struct {
	ID                string       `json:"id"`
	Object            string       `json:"object"`
	Created           int64        `json:"created"`
	Model             string       `json:"model"`
	Choices           []chatChoice `json:"choices"`
	Usage             *chatUsage   `json:"usage,omitempty"`
	ServiceTier       string       `json:"service_tier"`
	SystemFingerprint string       `json:"system_fingerprint"`
}

type chatChoice struct {
	Index        int        `json:"index"`
	Message      chatAnswer `json:"message"`
	Logprobs     *string    `json:"logprobs"`
	FinishReason string     `json:"finish_reason"`
}

type chatAnswer struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	Reasoning string     `json:"reasoning_content,omitempty"`
	ToolCalls []chatCall `json:"tool_calls,omitempty"`
	Refusal   *string    `json:"refusal"`
}

type chatUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
	PromptDetails    struct {
		CachedTokens int `json:"cached_tokens"`
		AudioTokens  int `json:"audio_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		ReasoningTokens          int `json:"reasoning_tokens"`
		AudioTokens              int `json:"audio_tokens"`
		AcceptedPredictionTokens int `json:"accepted_prediction_tokens"`
		RejectedPredictionTokens int `json:"rejected_prediction_tokens"`
	} `json:"completion_tokens_details"`
}

// chatBody is the whole answer of the Chat Completions API.
func chatBody(r reply) []byte {
	return encode(chatObject{
		ID: r.chatID(), Object: "chat.completion", Created: createdAt, Model: r.request.Model,
		Choices: []chatChoice{{Message: r.chatAnswer(), FinishReason: r.finishReason()}},
		Usage:   r.chatUsage(), ServiceTier: "default", SystemFingerprint: systemFingerprint,
	})
}

const systemFingerprint = "fp_scripted"

func (r reply) chatID() string { return "chatcmpl-" + r.key }

// chatAnswer merges the parts: a chat message has one text and one list of
// calls. Reasoning takes the field that reasoning models behind this API use.
func (r reply) chatAnswer() chatAnswer {
	answer := chatAnswer{Role: "assistant"}
	var text strings.Builder
	said := false
	for _, one := range r.answer.parts {
		switch one := one.(type) {
		case textPart:
			text.WriteString(string(one))
			said = true
		case reasoningPart:
			answer.Reasoning += string(one)
		case ToolCall:
			answer.ToolCalls = append(answer.ToolCalls, chatCall{one.ID, "function", chatFunction{one.Name, one.Arguments}})
		}
	}
	if said {
		content := text.String()
		answer.Content = &content
	}
	return answer
}

func (r reply) finishReason() string {
	switch {
	case r.answer.stop == cutAtLength:
		return "length"
	case r.answer.stop == cutByFilter:
		return "content_filter"
	case len(r.chatAnswer().ToolCalls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (r reply) chatUsage() *chatUsage {
	used := r.answer.usage
	if used == nil {
		return nil
	}
	return &chatUsage{PromptTokens: used.input, CompletionTokens: used.output, TotalTokens: used.input + used.output}
}
