package item

// Usage counts tokens in the shape of a Responses object.
type Usage struct {
	InputTokens  int64          `json:"input_tokens"`
	OutputTokens int64          `json:"output_tokens"`
	TotalTokens  int64          `json:"total_tokens"`
	Input        *InputDetails  `json:"input_tokens_details,omitempty"`
	Output       *OutputDetails `json:"output_tokens_details,omitempty"`
}

// InputDetails breaks the input tokens down.
type InputDetails struct {
	CachedTokens int64 `json:"cached_tokens"`
}

// OutputDetails breaks the output tokens down.
type OutputDetails struct {
	ReasoningTokens int64 `json:"reasoning_tokens"`
}

// Add sums the usage of one more round. A round that reports none changes
// nothing and invents nothing.
func (u *Usage) Add(round *Usage) {
	if round == nil {
		return
	}
	u.InputTokens += round.InputTokens
	u.OutputTokens += round.OutputTokens
	u.TotalTokens += round.TotalTokens
	if round.Input != nil {
		if u.Input == nil {
			u.Input = &InputDetails{}
		}
		u.Input.CachedTokens += round.Input.CachedTokens
	}
	if round.Output != nil {
		if u.Output == nil {
			u.Output = &OutputDetails{}
		}
		u.Output.ReasoningTokens += round.Output.ReasoningTokens
	}
}
