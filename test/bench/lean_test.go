package bench

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/tools/item"
)

// Lean is Minimal without what makes its history grow with the square of its
// rounds: an inference is told how long the conversation is and not what it
// says. No model could answer that; the script does. It is the least that a
// durable loop can cost which notices a lost worker and can be read in the Web
// UI: its activities have heartbeats, retries and summaries.
func Lean(ctx workflow.Context, prompt string) (string, error) {
	var do *minimalActivities
	for round, items := 1, 1; ; round++ {
		var answer Answer
		asking := leanOptions(ctx, fmt.Sprintf("round %d · infer (%d items)", round, items))
		if err := workflow.ExecuteActivity(asking, do.InferLean, prompt, items).Get(ctx, &answer); err != nil {
			return "", err
		}
		items += len(answer.Items)
		var results []workflow.Future
		for _, it := range answer.Items {
			if it.Type == item.TypeFunctionCall {
				calling := leanOptions(ctx, fmt.Sprintf("round %d · %s %s", round, it.Name, it.Arguments))
				results = append(results, workflow.ExecuteActivity(calling, do.Execute, it.Name, it.Arguments))
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

func leanOptions(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, HeartbeatTimeout: 10 * time.Second, Summary: summary,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumInterval: time.Minute, MaximumAttempts: 10},
	})
}

// InferLean asks the model about a conversation of so many items.
func (a *minimalActivities) InferLean(ctx context.Context, prompt string, items int) (Answer, error) {
	return a.Infer(ctx, append([]Item{{Content: prompt}}, make([]Item, items-1)...))
}
