// Package starter lets a Go service start, follow, serve, answer and cancel
// runs. It talks to a Temporal server only; the runs themselves are executed
// by workers, which may be anywhere.
//
// A [Starter] wraps a Temporal client. [Starter.Start] takes a request, checks
// it before anything is sent, and returns a [Run]: a handle that holds nothing
// but the run's id, so [Starter.Attach] makes an equal one in any process at
// any time.
//
//	s := starter.New(temporalClient)
//	run, err := s.Start(ctx, starter.Request{
//		Model: "gpt-5-mini",
//		Input: "When does the next flight to Oslo leave?",
//		Tools: []starter.Tool{starter.Function("get_flight_times", "Departures of today.", schema)},
//	})
//
// Calls to the tools that the request declares as functions come back to
// whoever started the run. [Run.Serve] answers them with Go functions until
// the run ends. Each call is claimed first, so that several processes may
// serve one run and a crashed one is replaced after its lease:
//
//	err = run.Serve(ctx, starter.Handlers{"get_flight_times": departures})
//
// [Starter.ServeAll] does that for every run of a task queue, whoever started
// it. [Run.PollAction] takes one step of it, and [Run.WatchRun] only tells what
// is open.
//
// A person, or a process that takes days, answers with [Run.Answer] and
// [Run.Approve] instead; [Run.Status] lists what is open.
//
// [Run.Follow] gives every event of a run as it happens, [Run.Conversation]
// and [Run.Traces] what it has said and done so far, and [Run.Result] waits for
// the end. A failed or cancelled run has a result too: what it did is not lost.
//
// # Errors
//
// [ErrNotFound] and [ErrEnded] say that there is no such run, or no longer.
// [ErrNoReply] says that the server or the workers did not reply in time.
// Queries (Status, Events, Conversation, Traces) and everything that is
// answered (Answer, Approve, Claim, Send) need a worker that is up; starting,
// cancelling and listing do not.
//
// All methods may be used by several goroutines at once.
package starter
