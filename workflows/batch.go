package workflows

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/activities/model"
	"errand/activities/translate"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// call is one call of the current batch and where it stands.
type call struct {
	tools.Call
	// kind is the type of the call's item.
	kind string
	tool tools.Descriptor
	seen time.Time
	// action and approval are nil until the call is handed over or asked about.
	action   *action
	approval *approval
	// begun is true once the call is being handled, joined once its output is in
	// the conversation.
	begun, joined bool
	// expiry is until when a client or a person is waited for; zero is for ever.
	expiry time.Time
	// started is true once its execution was scheduled; update is the number of
	// the last event with a partial result.
	started bool
	update  int
	// place is where among the public items the call is shown, from 1; 0 is
	// nowhere.
	place int
	// child is the delegated run that executes the call; relay is set for a call
	// of such a run that this one has handed over in its place.
	child *child
	relay *relay
	// outcome is nil until the call is settled; the first one stays.
	outcome *tools.Outcome
	// size is that of the outcome as JSON, once somebody has asked for it.
	size int
}

func (c *call) settled() bool { return c.outcome != nil }

// batch is the calls of one answer, or a part of them, in origin order.
type batch []*call

func (b batch) settled() bool {
	for _, c := range b {
		if !c.settled() {
			return false
		}
	}
	return true
}

// terminating tells whether every outcome asked to end the run (PI-22).
func (b batch) terminating() bool {
	for _, c := range b {
		if !c.settled() || !c.outcome.Terminate {
			return false
		}
	}
	return len(b) > 0
}

// groups are what is prepared and executed together: the whole batch, or one
// call after the other (PI-5, PI-6).
func (b batch) groups(sequential bool) []batch {
	if !sequential {
		return []batch{b}
	}
	groups := make([]batch, len(b))
	for i := range b {
		groups[i] = b[i : i+1]
	}
	return groups
}

func (b batch) open() batch {
	var open batch
	for _, c := range b {
		if !c.settled() {
			open = append(open, c)
		}
	}
	return open
}

// sequential tells whether the batch may not overlap: the run, the request or
// one of its tools says so.
func (r *run) sequential(b batch) bool {
	if r.Request.Run.ToolExecution == contract.ExecuteSequential {
		return true
	}
	if p := r.Request.ParallelToolCalls; p != nil && !*p {
		return true
	}
	for _, c := range b {
		if c.tool.Sequential {
			return true
		}
	}
	return false
}

// appendAnswer takes a model's answer into the conversation and reads its calls. Calls
// that must not run have their outcome already.
func (r *run) appendAnswer(ctx workflow.Context, answer activities.InferResult) batch {
	var b batch
	for _, raw := range answer.Items {
		index := r.Conversation.AddHeld(raw)
		head, err := item.Peek(raw)
		if err != nil || !item.IsCall(head.Type) {
			r.Report.Publish(r.Report.Cited(raw))
			r.record(ctx, contract.Event{Type: contract.EventMessage, Item: &index, Size: len(raw)})
			continue
		}
		c := r.read(ctx, raw, head, len(b))
		r.refuse(c, answer.Finish)
		switch {
		case c.tool.Owner == tools.OwnedByClient:
			r.Report.Publish(raw)
		case !c.settled():
			r.show(c)
		}
		b = append(b, c)
	}
	return b
}

func (r *run) read(ctx workflow.Context, raw json.RawMessage, head item.Head, index int) *call {
	var body struct {
		Arguments string `json:"arguments"`
		Input     string `json:"input"`
	}
	_ = json.Unmarshal(raw, &body) // the infer activity has made both text
	if head.Type == item.TypeCustomCall {
		body.Arguments = translate.WrapInput(body.Input)
	}
	c := &call{
		Call: tools.Call{
			ID: head.CallID, Round: r.Round, Index: index,
			Tool: head.Name, Namespace: head.Namespace, Arguments: body.Arguments,
		},
		kind: head.Type, seen: workflow.Now(ctx),
	}
	c.tool = r.descriptor(c.Identity())
	return c
}

// descriptor is what a call to a name runs. One to a name that nobody declared
// is the client's, if the run says so, and nobody's otherwise.
func (r *run) descriptor(id tools.Identity) tools.Descriptor {
	if tool, ok := r.registry.Find(id); ok {
		return tool
	}
	if r.Request.Run.UndeclaredTools == contract.UndeclaredClient && id.Name != "" {
		return tools.ClientDescriptor(tools.Declaration{Type: tools.TypeFunction, Name: id.Name})
	}
	return tools.Descriptor{}
}

// refuse settles a call that is not even prepared: of an answer that was cut,
// beyond the batch limit, or to a name that nobody declared.
func (r *run) refuse(c *call, stop model.FinishReason) {
	var o tools.Outcome
	switch {
	case stop == model.FinishLength || stop == model.FinishFilter:
		o = tools.Fail(tools.Failed, tools.ErrTruncated,
			"the answer was cut before it was whole ("+string(stop)+"), so this call was not run: issue it again, shorter if need be")
	case c.Index >= contract.MaxBatch:
		o = tools.Fail(tools.Denied, tools.ErrBudgetExceeded,
			fmt.Sprintf("at most %d calls of one answer are run: issue this one again", contract.MaxBatch))
	case c.tool.Owner == "":
		o = tools.Fail(tools.Failed, tools.ErrUnknownTool, r.unknown(c.Identity().String()))
	case c.tool.Owner == tools.OwnedByGateway && c.tool.Source == "":
		o = tools.Fail(tools.Failed, tools.ErrNoHandler,
			fmt.Sprintf("tool %q has no executor on this worker: do not call it again", c.Tool))
	default:
		return
	}
	c.outcome = &o
}

// maxNamed bounds the tools that an outcome names.
const maxNamed = 50

func (r *run) unknown(name string) string {
	var known []string
	for _, d := range r.registry.All() {
		if !d.Hidden {
			known = append(known, d.ModelName)
		}
	}
	switch {
	case len(known) == 0:
		return fmt.Sprintf("there is no tool %q: this run has no tools", name)
	case len(known) > maxNamed:
		known = append(known[:maxNamed:maxNamed], "…")
	}
	return fmt.Sprintf("there is no tool %q; the tools are: %s", name, strings.Join(known, ", "))
}
