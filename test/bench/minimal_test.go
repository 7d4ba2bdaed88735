package bench

import (
	"context"
	"time"

	"go.temporal.io/sdk/workflow"

	"errand/tools/item"
)

// Item is one element of Minimal's conversation.
type Item struct {
	Type      string `json:"type"`
	Role      string `json:"role,omitempty"`
	Content   string `json:"content,omitempty"`
	CallID    string `json:"call_id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Output    string `json:"output,omitempty"`
}

// Answer is what the model said to Minimal.
type Answer struct {
	Items []Item     `json:"items"`
	Usage item.Usage `json:"usage"`
}

// Minimal is a tool-calling loop written by hand: ask the model, execute its
// calls side by side, append the results in order, until it calls nothing.
func Minimal(ctx workflow.Context, prompt string) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	var do *minimalActivities
	conversation := []Item{{Type: item.TypeMessage, Role: "user", Content: prompt}}
	for {
		var answer Answer
		if err := workflow.ExecuteActivity(ctx, do.Infer, conversation).Get(ctx, &answer); err != nil {
			return "", err
		}
		conversation = append(conversation, answer.Items...)
		var calls []Item
		var results []workflow.Future
		for _, it := range answer.Items {
			if it.Type == item.TypeFunctionCall {
				calls = append(calls, it)
				results = append(results, workflow.ExecuteActivity(ctx, do.Execute, it.Name, it.Arguments))
			}
		}
		if len(calls) == 0 {
			return answer.Items[len(answer.Items)-1].Content, nil
		}
		for i, c := range calls {
			var output string
			if err := results[i].Get(ctx, &output); err != nil {
				return "", err
			}
			conversation = append(conversation, Item{Type: item.TypeFunctionCallOutput, CallID: c.CallID, Output: output})
		}
	}
}

// minimalActivities are what Minimal and BareWait call.
type minimalActivities struct{ script *script }

// Infer asks the model.
func (a *minimalActivities) Infer(ctx context.Context, conversation []Item) (Answer, error) {
	said, err := a.script.answer(ctx, conversation[0].Content, len(conversation))
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Usage: said.usage}
	for _, c := range said.calls {
		answer.Items = append(answer.Items, Item{Type: item.TypeFunctionCall, CallID: c.id, Name: c.tool, Arguments: c.arguments})
	}
	if said.text != "" {
		answer.Items = append(answer.Items, Item{Type: item.TypeMessage, Role: "assistant", Content: said.text})
	}
	return answer, nil
}

// Execute runs one call.
func (a *minimalActivities) Execute(_ context.Context, _, arguments string) (string, error) {
	return execute([]byte(arguments))
}
