package bench

import (
	"errors"
	"time"

	"go.temporal.io/sdk/workflow"

	"errand/tools/item"
)

// Names of BareWait's update and query.
const (
	bareAnswer  = "answer"
	bareWaiting = "waiting"
)

// BareWait is Minimal for calls of a client, one a round: each waits for an
// update that brings its output.
func BareWait(ctx workflow.Context, prompt string) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	var do *minimalActivities
	conversation := []Item{{Type: item.TypeMessage, Role: "user", Content: prompt}}
	open := ""
	err := workflow.SetQueryHandler(ctx, bareWaiting, func() (string, error) { return open, nil })
	if err != nil {
		return "", err
	}
	take := func(_ workflow.Context, it Item) error {
		if it.CallID != open {
			return errors.New("no such call is open")
		}
		conversation, open = append(conversation, it), ""
		return nil
	}
	if err := workflow.SetUpdateHandler(ctx, bareAnswer, take); err != nil {
		return "", err
	}
	for {
		var answer Answer
		if err := workflow.ExecuteActivity(ctx, do.Infer, conversation).Get(ctx, &answer); err != nil {
			return "", err
		}
		conversation = append(conversation, answer.Items...)
		last := answer.Items[len(answer.Items)-1]
		if last.Type != item.TypeFunctionCall {
			return last.Content, nil
		}
		open = last.CallID
		if err := workflow.Await(ctx, func() bool { return open == "" }); err != nil {
			return "", err
		}
	}
}
