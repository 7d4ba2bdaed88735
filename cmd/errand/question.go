package main

import (
	"context"
	"errors"
	"io"

	"errand/cmd/errand/ask"
	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

// ask puts one question to the person and delivers the answer. Where nobody is
// there, or has closed the input, it says how to answer from elsewhere.
func (q *questions) ask(one *question) {
	s := q.session
	if s.person == nil {
		s.tell(s.hints.of(one))
		return
	}
	var err error
	if one.action != nil {
		err = s.askAnswer(one.ctx, *one.action)
	} else {
		err = s.askApproval(one.ctx, *one.approval)
	}
	var refused *starter.RefusedError
	switch {
	case err == nil:
	case errors.Is(err, errSettled):
		s.tell(s.paint.Dim("  " + one.id + " was settled elsewhere"))
	case one.ctx.Err() != nil:
	case errors.Is(err, io.EOF):
		s.tell(s.hints.of(one))
	case errors.As(err, &refused), errors.Is(err, starter.ErrEnded):
		s.tell(s.paint.Bad("  not taken: " + show.Line(err.Error())))
	case errors.Is(err, starter.ErrNoReply):
		s.tell(s.paint.Bad("  the answer was not delivered: no worker replies"))
		q.again(one)
	default:
		s.tell(s.paint.Bad("  not delivered: " + show.Line(plain(about(s.run.ID(), err)))))
		s.tell(s.hints.of(one))
	}
}

func (s *session) askAnswer(ctx context.Context, a contract.OpenAction) error {
	reply, err := s.person.Answer(ctx, ask.Call{Tool: show.Tool(a.Manifest), ID: show.Line(a.ToolCallID), Arguments: show.Arguments(a.Manifest)})
	if err != nil {
		return err
	}
	answer := starter.Output(a.ActionID, reply.Text)
	if reply.IsError {
		answer = starter.Failure(a.ActionID, reply.Text)
	}
	_, err = s.run.Answer(ctx, answer)
	return err
}

func (s *session) askApproval(ctx context.Context, a contract.OpenApproval) error {
	call := ask.Call{Tool: show.Line(a.Tool), ID: show.Line(a.ToolCallID), Arguments: show.JSON(a.Args)}
	verdict, err := s.person.Approve(ctx, call, show.Line(a.Reason))
	if err != nil {
		return err
	}
	approval := starter.Denied(a.ApprovalRequestID, verdict.Reason, s.hints.actor)
	if verdict.Approve {
		approval = starter.Approved(a.ApprovalRequestID, s.hints.actor)
		approval.Reason = verdict.Reason
	}
	_, err = s.run.Approve(ctx, approval)
	return err
}
