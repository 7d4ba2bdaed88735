package bench

import (
	"context"
	"time"

	"go.temporal.io/sdk/workflow"

	"errand/tools/item"
)

// Lean is Minimal without what makes its history grow with the square of its
// rounds: an inference is told how long the conversation is and not what it
// says. No model could answer that; the script does. It is the least that a
// durable loop can cost.
func Lean(ctx workflow.Context, prompt string) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	var do *minimalActivities
	for items := 1; ; {
		var answer Answer
		if err := workflow.ExecuteActivity(ctx, do.InferLean, prompt, items).Get(ctx, &answer); err != nil {
			return "", err
		}
		items += len(answer.Items)
		var results []workflow.Future
		for _, it := range answer.Items {
			if it.Type == item.TypeFunctionCall {
				results = append(results, workflow.ExecuteActivity(ctx, do.Execute, it.Name, it.Arguments))
			}
		}
		if len(results) == 0 {
			return answer.Items[len(answer.Items)-1].Content, nil
		}
		for _, result := range results {
			var output string
			if err := result.Get(ctx, &output); err != nil {
				return "", err
			}
			items++
		}
	}
}

// InferLean asks the model about a conversation of so many items.
func (a *minimalActivities) InferLean(ctx context.Context, prompt string, items int) (Answer, error) {
	return a.Infer(ctx, append([]Item{{Content: prompt}}, make([]Item, items-1)...))
}
