package activities

import (
	"context"
	"encoding/json"
	"strings"

	"errand/tools/schema"
)

// CheckAnswerInput is a client's answer to a call of a tool that has an output
// schema.
type CheckAnswerInput struct {
	Schema json.RawMessage `json:"schema"`
	// Output is as the client sent it: a text that holds JSON, or JSON itself.
	Output json.RawMessage `json:"output"`
}

// CheckAnswerResult says why the answer cannot be taken; the reason is empty
// when it fits.
type CheckAnswerResult struct {
	Reason string `json:"reason,omitempty"`
}

// CheckAnswer holds a client's answer against the output schema of its tool. A
// text is read as JSON where it is some, since that is how models and clients
// write it; else it counts as a string.
func (a *Activities) CheckAnswer(ctx context.Context, in CheckAnswerInput) (CheckAnswerResult, error) {
	work := schema.NewBudget(ctx)
	s, err := a.caches.schemas.GetWithin(work, in.Schema)
	if err != nil { // discovery has compiled it once
		return CheckAnswerResult{}, err
	}
	issues := s.CheckWithin(work, in.Output)
	var text string
	if len(issues) > 0 && json.Unmarshal(in.Output, &text) == nil && json.Valid([]byte(text)) {
		issues = s.CheckWithin(work, json.RawMessage(text))
	}
	if err := ctx.Err(); err != nil { // it was not decided
		return CheckAnswerResult{}, err
	}
	return CheckAnswerResult{Reason: mismatch(issues)}, nil
}

// maxMismatches bounds what a refusal lists.
const maxMismatches = 5

// mismatch names the fields that do not fit, in one line.
func mismatch(issues schema.Issues) string {
	var parts []string
	for _, issue := range issues[:min(len(issues), maxMismatches)] {
		path := "output"
		switch {
		case strings.HasPrefix(issue.Path, "["):
			path += issue.Path
		case issue.Path != "":
			path += "." + issue.Path
		}
		parts = append(parts, path+": "+issue.Message)
	}
	if len(issues) > maxMismatches {
		parts = append(parts, "…")
	}
	return strings.Join(parts, "; ")
}
