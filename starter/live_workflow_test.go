package starter

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// liveRun stands in for a run on a real server: it keeps to the wire contract
// and does what the request's metadata says. script is "calls" (two rounds of
// three calls), "fail" or "wait"; continue makes it continue as new between the
// rounds.
func liveRun(ctx workflow.Context, raw json.RawMessage, carried *liveState) (contract.Result, error) {
	request, faults := contract.DecodeRequest(raw)
	if len(faults) > 0 {
		return contract.Result{}, temporal.NewApplicationError(faults.Error(), contract.ErrInvalidRequest)
	}
	meta := map[string]string{}
	_ = json.Unmarshal(request.Metadata, &meta)
	s := carried
	if s == nil {
		s = &liveState{ID: workflow.GetInfo(ctx).WorkflowExecution.ID, Items: request.Input}
		s.emit(ctx, contract.Event{Type: contract.EventRunStart})
	}
	if err := s.answerTo(ctx); err != nil {
		return contract.Result{}, err
	}
	err := s.play(ctx, meta)
	_ = workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
	return s.end(ctx, err, raw)
}

type liveState struct {
	ID       string
	Round    int
	Events   []contract.Event
	Items    []json.RawMessage
	Actions  []contract.OpenAction
	Messages int
	Status   contract.Status
}

var errContinue = errors.New("continue as new")

func (s *liveState) play(ctx workflow.Context, meta map[string]string) error {
	switch meta["script"] {
	case "fail":
		return temporal.NewApplicationError("401: bad key", contract.ErrModelRejected)
	case "wait":
		return workflow.Await(ctx, func() bool { return false })
	}
	for s.Round < 2 {
		s.Round++
		for i := range 3 {
			s.open(ctx, i)
		}
		if err := workflow.Await(ctx, func() bool { return len(s.Actions) == 0 }); err != nil {
			return err
		}
		if meta["continue"] != "" && s.Round == 1 {
			return errContinue
		}
	}
	return nil
}

func (s *liveState) open(ctx workflow.Context, index int) {
	id := contract.ActionID(s.Round, index)
	s.Actions = append(s.Actions, contract.OpenAction{
		Manifest: contract.Manifest{
			Type: contract.ManifestType, RunID: s.ID, ActionID: id, ToolCallID: "call_" + id,
			Tool: "double", Args: json.RawMessage(fmt.Sprintf(`{"n":%d}`, index)),
		},
		Status: contract.ActionPending,
	})
	s.emit(ctx, contract.Event{Type: contract.EventManifest, ActionID: id})
}

func (s *liveState) end(ctx workflow.Context, err error, raw json.RawMessage) (contract.Result, error) {
	result := contract.Result{ID: s.ID, Object: "response", Status: contract.Completed, Output: s.Items, OutputText: "so far"}
	switch {
	case errors.Is(err, errContinue):
		return result, workflow.NewContinueAsNewError(ctx, contract.TypeRun, raw, s)
	case temporal.IsCanceledError(err):
		result.Status = contract.Cancelled
		err = temporal.NewCanceledError(result)
	case err != nil:
		result.Status = contract.Failed
		err = temporal.NewApplicationError("401: bad key", contract.ErrModelRejected, result)
	}
	s.Status = result.Status
	s.emit(ctx, contract.Event{Type: contract.EventRunEnd, Status: string(result.Status)})
	return result, err
}

func (s *liveState) emit(ctx workflow.Context, e contract.Event) {
	e.Seq, e.At, e.Round = len(s.Events)+1, workflow.Now(ctx), s.Round
	s.Events = append(s.Events, e)
}

func (s *liveState) answerTo(ctx workflow.Context) error {
	err := workflow.SetQueryHandler(ctx, contract.QueryStatus, func() (contract.StatusReport, error) {
		report := contract.StatusReport{
			RunID: s.ID, Status: contract.InProgress, Round: s.Round, Actions: s.Actions,
			Events: len(s.Events), Items: len(s.Items),
		}
		if s.Status != "" {
			report.Status = s.Status
		}
		return report, nil
	})
	if err != nil {
		return err
	}
	err = workflow.SetQueryHandler(ctx, contract.QueryEvents, func(q contract.EventsQuery) (contract.EventsPage, error) {
		to := min(q.After+q.Limit, len(s.Events))
		return contract.EventsPage{
			Events: s.Events[min(q.After, to):to], Next: to, Done: s.Status != "" && to == len(s.Events),
		}, nil
	})
	if err != nil {
		return err
	}
	err = workflow.SetQueryHandler(ctx, contract.QueryConversation, func(q contract.PageQuery) (contract.ItemsPage, error) {
		to := min(q.From+2, len(s.Items)) // two at a time
		return contract.ItemsPage{Items: s.Items[q.From:to], Next: to, Done: to == len(s.Items)}, nil
	})
	if err != nil {
		return err
	}
	return s.takeUpdates(ctx)
}

func (s *liveState) takeUpdates(ctx workflow.Context) error {
	err := workflow.SetUpdateHandlerWithOptions(ctx, contract.ToolOutput, s.settle,
		workflow.UpdateHandlerOptions{Validator: func(a contract.Answer) error {
			if s.find(a.ActionID, a.ToolCallID) < 0 {
				return temporal.NewApplicationError("not open", "Refused")
			}
			return nil
		}})
	if err != nil {
		return err
	}
	err = workflow.SetUpdateHandlerWithOptions(ctx, contract.ClaimAction, s.claim,
		workflow.UpdateHandlerOptions{Validator: func(ctx workflow.Context, c contract.Claim) error {
			at := s.find(c.ActionID, "")
			if at < 0 {
				return temporal.NewApplicationError("not open", "Refused")
			}
			if a := s.Actions[at]; a.Owner != "" && a.Owner != c.Owner && workflow.Now(ctx).Before(a.LeaseUntil) {
				return temporal.NewApplicationError("claimed by "+a.Owner, "Refused")
			}
			return nil
		}})
	if err != nil {
		return err
	}
	return workflow.SetUpdateHandler(ctx, contract.SendMessage, func(workflow.Context, contract.Message) (contract.Receipt, error) {
		s.Messages++
		return contract.Receipt{ID: "message", Status: "queued"}, nil
	})
}

func (s *liveState) find(actionID, callID string) int {
	return slices.IndexFunc(s.Actions, func(a contract.OpenAction) bool {
		return a.ActionID == actionID || a.ToolCallID == callID
	})
}

func (s *liveState) claim(ctx workflow.Context, c contract.Claim) (contract.Receipt, error) {
	lease, err := time.ParseDuration(c.Lease)
	if err != nil {
		return contract.Receipt{}, err
	}
	a := &s.Actions[s.find(c.ActionID, "")]
	a.Owner, a.LeaseUntil, a.Status = c.Owner, workflow.Now(ctx).Add(lease), contract.ActionProcessing
	return contract.Receipt{ID: a.ActionID, Status: string(a.Status)}, nil
}

func (s *liveState) settle(ctx workflow.Context, a contract.Answer) (contract.Receipt, error) {
	at := s.find(a.ActionID, a.ToolCallID)
	action := s.Actions[at]
	s.Actions = slices.Delete(s.Actions, at, at+1)
	s.Items = append(s.Items, item.Output(item.TypeFunctionCallOutput, action.ToolCallID, string(a.Output)))
	s.emit(ctx, contract.Event{Type: contract.EventToolEnd, Owner: tools.OwnedByClient, ToolCallID: action.ToolCallID})
	return contract.Receipt{ID: action.ActionID, Status: string(contract.ActionCompleted)}, nil
}
