package prompt

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"errand/cmd/errand/connect"
	"errand/cmd/errand/show"
	"errand/starter"
	"errand/workflows/contract"
)

// refreshInterval is how often open questions are compared with the run: an approval
// that somebody else has given shows in no event of its own.
const refreshInterval = 10 * time.Second

// errSettled ends a question that somebody else has answered.
var errSettled = errors.New("settled elsewhere")

// questions are the calls and approvals of a run that wait for a person. They
// are asked one after the other, in the order in which the run opened them.
type questions struct {
	session *Session
	// stale: the run may have opened or settled something.
	stale chan struct{}
	// ready: something waits to be asked.
	ready chan struct{}

	mu    sync.Mutex
	known map[string]*question
	queue []*question
}

// question is one call or one approval; the other is nil.
type question struct {
	id       string
	action   *contract.OpenAction
	approval *contract.OpenApproval
	ctx      context.Context
	settle   context.CancelCauseFunc
}

func newQuestions(s *Session) *questions {
	q := &questions{
		session: s, stale: make(chan struct{}, 1), ready: make(chan struct{}, 1), known: map[string]*question{},
	}
	raise(q.stale) // a run that is attached to may have waited for long
	return q
}

// raise sets a flag that stays up until it is taken.
func raise(flag chan struct{}) {
	select {
	case flag <- struct{}{}:
	default:
	}
}

// noticed takes an event that may concern a question.
func (q *questions) noticed(e contract.Event) {
	switch e.Type {
	case contract.EventManifest, contract.EventApprovalAsked, contract.EventToolEnd:
		raise(q.stale)
	default: // nothing to ask
	}
}

// refresh compares the questions with the run whenever something has happened.
func (q *questions) refresh(ctx context.Context) {
	ticker := time.NewTicker(refreshInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.stale:
		case <-ticker.C:
			if !q.waiting() {
				continue
			}
		}
		report, err := q.session.Run.Status(ctx)
		if err != nil {
			q.retry(ctx)
			continue
		}
		q.update(ctx, report)
	}
}

// retry looks again soon: no worker has told how the run stands.
func (q *questions) retry(ctx context.Context) {
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
		raise(q.stale)
	}
}

func (q *questions) waiting() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.known) > 0
}

// update takes up what is new and drops what is settled.
func (q *questions) update(ctx context.Context, report contract.StatusReport) {
	q.mu.Lock()
	defer q.mu.Unlock()
	open := map[string]bool{}
	for _, a := range report.Actions {
		open[a.ActionID] = true
		if !q.session.Programs.Serves(a.Manifest) && !claimed(a) {
			q.add(ctx, question{id: a.ActionID, action: &a})
		}
	}
	for _, a := range report.Approvals {
		open[a.ApprovalRequestID] = true
		q.add(ctx, question{id: a.ApprovalRequestID, approval: &a})
	}
	for id, one := range q.known {
		if !open[id] && report.ActionsLeftOut == 0 {
			one.settle(errSettled)
			delete(q.known, id)
		}
	}
}

// claimed tells whether somebody works on a call. The status is as old as the
// run's last step, so the lease decides.
func claimed(a contract.OpenAction) bool {
	return a.Status == contract.ActionProcessing && time.Now().Before(a.LeaseUntil)
}

func (q *questions) add(ctx context.Context, one question) {
	if _, known := q.known[one.id]; known {
		return
	}
	one.ctx, one.settle = context.WithCancelCause(ctx)
	q.known[one.id] = &one
	q.queue = append(q.queue, &one)
	raise(q.ready)
}

// again lets a question be asked once more at the next look: its answer did
// not arrive.
func (q *questions) again(one *question) {
	q.mu.Lock()
	delete(q.known, one.id)
	q.mu.Unlock()
	raise(q.stale)
}

func (q *questions) next() (*question, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) == 0 {
		return nil, false
	}
	one := q.queue[0]
	q.queue = q.queue[1:]
	return one, true
}

// putAll puts question after question.
func (q *questions) putAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.ready:
		}
		for one, some := q.next(); some && ctx.Err() == nil; one, some = q.next() {
			if one.ctx.Err() == nil {
				q.put(one)
			}
		}
	}
}

// put puts one question to the person and delivers the answer. Where nobody is
// there, or has closed the input, it says how to answer from elsewhere.
func (q *questions) put(one *question) {
	s := q.session
	if s.Person == nil {
		s.Tell(s.Commands.question(one))
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
		s.Tell(s.Paint.Dim("  " + one.id + " was settled elsewhere"))
	case one.ctx.Err() != nil:
	case errors.Is(err, io.EOF):
		s.Tell(s.Commands.question(one))
	case errors.As(err, &refused), errors.Is(err, starter.ErrEnded):
		s.Tell(s.Paint.Bad("  not taken: " + show.Line(err.Error())))
	case errors.Is(err, starter.ErrNoReply):
		s.Tell(s.Paint.Bad("  the answer was not delivered: no worker replies"))
		q.again(one)
	default:
		s.Tell(s.Paint.Bad("  not delivered: " + show.Line(connect.Text(connect.About(s.Run.ID(), err)))))
		s.Tell(s.Commands.question(one))
	}
}

func (s *Session) askAnswer(ctx context.Context, a contract.OpenAction) error {
	reply, err := s.Person.Answer(ctx, Call{Tool: show.Tool(a.Manifest), ID: show.Line(a.ToolCallID), Arguments: show.Arguments(a.Manifest)})
	if err != nil {
		return err
	}
	answer := starter.Output(a.ActionID, reply.Text)
	if reply.IsError {
		answer = starter.Failure(a.ActionID, reply.Text)
	}
	_, err = s.Run.Answer(ctx, answer)
	return err
}

func (s *Session) askApproval(ctx context.Context, a contract.OpenApproval) error {
	call := Call{Tool: show.Line(a.Tool), ID: show.Line(a.ToolCallID), Arguments: show.JSON(a.Args)}
	decision, err := s.Person.Approve(ctx, call, show.Line(a.Reason))
	if err != nil {
		return err
	}
	approval := starter.Denied(a.ApprovalRequestID, decision.Reason, s.Commands.Actor)
	if decision.Approve {
		approval = starter.Approved(a.ApprovalRequestID, s.Commands.Actor)
		approval.Reason = decision.Reason
	}
	_, err = s.Run.Approve(ctx, approval)
	return err
}
