package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
)

// toldTasks lets the world hold two kinds of workflow tasks at the moment that
// their result is about to leave, if TELL_TASKS is set: those that continue a run
// as new, and the first of the next execution. ONLY keeps the worker to tasks of
// one kind, "workflows" or "activities".
func toldTasks(o *client.Options) {
	t := &tasks{only: os.Getenv("ONLY"), tells: os.Getenv("TELL_TASKS") != "", of: map[string]task{}}
	o.ConnectionOptions.DialOptions = append(o.ConnectionOptions.DialOptions, grpc.WithChainUnaryInterceptor(t.intercept))
}

type tasks struct {
	only  string
	tells bool

	mu sync.Mutex
	of map[string]task // by token
}

// task is a workflow task. A delegated run goes by the run that started it.
type task struct {
	run   string
	first bool
}

func (t *tasks) intercept(
	ctx context.Context, method string, request, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	if unwanted := map[string]string{"workflows": "PollActivityTaskQueue", "activities": "PollWorkflowTaskQueue"}[t.only]; unwanted != "" &&
		strings.HasSuffix(method, unwanted) {
		<-ctx.Done()
		return ctx.Err()
	}
	if r, is := request.(*workflowservice.RespondWorkflowTaskCompletedRequest); is {
		if err := t.tell(ctx, r); err != nil {
			return err
		}
	}
	err := invoke(ctx, method, request, reply, cc, options...)
	switch r := reply.(type) {
	case *workflowservice.PollWorkflowTaskQueueResponse:
		t.note(r)
	case *workflowservice.RespondWorkflowTaskCompletedResponse:
		t.note(r.GetWorkflowTask())
	}
	return err
}

func (t *tasks) note(r *workflowservice.PollWorkflowTaskQueueResponse) {
	if len(r.GetTaskToken()) == 0 {
		return
	}
	run, _, _ := strings.Cut(r.GetWorkflowExecution().GetWorkflowId(), "/")
	one := task{run: run}
	if events := r.GetHistory().GetEvents(); len(events) > 0 && r.GetPreviousStartedEventId() == 0 {
		one.first = events[0].GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId() != ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of[string(r.GetTaskToken())] = one
}

func (t *tasks) tell(ctx context.Context, r *workflowservice.RespondWorkflowTaskCompletedRequest) error {
	continues := false
	for _, c := range r.GetCommands() {
		continues = continues || c.GetCommandType() == enums.COMMAND_TYPE_CONTINUE_AS_NEW_WORKFLOW_EXECUTION
		if a := c.GetScheduleActivityTaskCommandAttributes(); a != nil && t.only != "" {
			a.RequestEagerExecution = false // it would come here
		}
	}
	t.mu.Lock()
	one := t.of[string(r.GetTaskToken())]
	t.mu.Unlock()
	if t.tells && one.first {
		if err := one.tell(ctx, "first"); err != nil {
			return err
		}
	}
	if t.tells && continues {
		return one.tell(ctx, "continue")
	}
	return nil
}

func (t task) tell(ctx context.Context, what string) error {
	if _, err := tell(ctx, what+"/"+t.run, t.run, nil); err != nil {
		return fmt.Errorf("tell of a task: %w", err)
	}
	return nil
}
