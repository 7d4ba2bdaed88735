package openaimodel

import (
	"encoding/json"

	"errand/tools/item"
)

// responsesUsage is nil when a server reports none, or nothing readable.
func responsesUsage(raw json.RawMessage) *item.Usage {
	var usage *item.Usage
	if absent(raw) || json.Unmarshal(raw, &usage) != nil {
		return nil
	}
	return totalled(usage)
}

// chatUsage maps the token counts of Chat Completions.
func chatUsage(raw json.RawMessage) *item.Usage {
	var counted *struct {
		Prompt     int64               `json:"prompt_tokens"`
		Completion int64               `json:"completion_tokens"`
		Total      int64               `json:"total_tokens"`
		Input      *item.InputDetails  `json:"prompt_tokens_details"`
		Output     *item.OutputDetails `json:"completion_tokens_details"`
	}
	if absent(raw) || json.Unmarshal(raw, &counted) != nil {
		return nil
	}
	return totalled(&item.Usage{
		InputTokens:  counted.Prompt,
		OutputTokens: counted.Completion,
		TotalTokens:  counted.Total,
		Input:        counted.Input,
		Output:       counted.Output,
	})
}

// totalled adds up a total that was left out.
func totalled(usage *item.Usage) *item.Usage {
	if usage.TotalTokens == 0 {
		usage.TotalTokens = usage.InputTokens + usage.OutputTokens
	}
	return usage
}
