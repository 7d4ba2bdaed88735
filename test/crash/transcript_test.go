package crash

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"errand/starter"
	"errand/test/world"
	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// transcript is what a run has done, without what differs from play to play: ids of
// the run, times, attempts.
type transcript struct {
	head    string
	output  []string
	talk    []string
	traces  map[string]string // call id → trace
	outcome map[string]tools.OutcomeStatus
}

// itemID is that of a model's item. The scripted model makes it out of the
// conversation, so it differs after an outcome that was lost.
var itemID = regexp.MustCompile(`"id":"(msg|fc)_[0-9a-f]+"`)

func (tr *trial) plain(raw []byte) string {
	return itemID.ReplaceAllString(strings.ReplaceAll(string(raw), tr.run.ID(), "RUN"), `"id":"$1"`)
}

// tell reads the transcript of a run that has a result.
func (tr *trial) tell() transcript {
	r := tr.result
	s := transcript{traces: map[string]string{}, outcome: map[string]tools.OutcomeStatus{}, talk: tr.talk()}
	s.head = fmt.Sprintf("%s %q, %d rounds, %d tokens, left out %d and %d, warnings %q", r.Status, r.OutputText, r.Run.Rounds,
		r.Usage.TotalTokens, r.Run.ItemsLeftOut, r.Run.TracesLeftOut, r.Run.Warnings)
	for _, raw := range r.Output {
		s.output = append(s.output, tr.plain(raw))
	}
	for _, trace := range r.Run.Traces {
		if _, twice := s.traces[trace.ToolCallID]; twice {
			tr.violate(validTalk, "call %s has two traces", trace.ToolCallID)
		}
		s.traces[trace.ToolCallID] = fmt.Sprintf("%d/%d %s %s, %d bytes, error %q", trace.Round, trace.Index, trace.Tool,
			trace.Status, trace.ResultSizeBytes, trace.Error)
		s.outcome[trace.ToolCallID] = trace.Status
	}
	return s
}

// talk is the conversation.
func (tr *trial) talk() []string {
	all, err := tr.read()
	for errors.Is(err, starter.ErrNoReply) && tr.ctx.Err() == nil {
		all, err = tr.read()
	}
	if err != nil {
		tr.violate(nothingLost, "the conversation cannot be read: %v", err)
	}
	return all
}

func (tr *trial) read() (all []string, err error) {
	for raw, err := range tr.run.Conversation(tr.ctx) {
		if err != nil {
			return all, err
		}
		all = append(all, tr.plain(raw))
	}
	return all, nil
}

// checkTalk: every call has one output, after it, in origin order, before the
// model speaks again.
func (tr *trial) checkTalk(talk []string) {
	var open []string
	for i, text := range talk {
		head, err := item.Peek(json.RawMessage(text))
		switch {
		case err != nil:
			tr.violate(validTalk, "item %d: %v", i, err)
		case item.IsCall(head.Type):
			open = append(open, head.CallID)
		case head.Type == item.TypeFunctionCallOutput:
			if len(open) == 0 || open[0] != head.CallID {
				tr.violate(validTalk, "item %d is the output of %s, open are %v", i, head.CallID, open)
				continue
			}
			open = open[1:]
		case len(open) > 0:
			tr.violate(validTalk, "item %d comes before the outputs of %v", i, open)
		}
	}
	if len(open) > 0 {
		tr.violate(validTalk, "no output for %v", open)
	}
}

// callOf is the call id of an item; empty for a message.
func callOf(text string) (id string, isOutput bool) {
	head, err := item.Peek(json.RawMessage(text))
	if err != nil {
		return "", false
	}
	return head.CallID, head.Type == item.TypeFunctionCallOutput
}

// checkEvents: numbered without gaps, each call with one start, one end and
// one result, the end of the run last; and the client was told the same while
// it went on.
func (tr *trial) checkEvents() {
	var all []contract.Event
	for e, err := range tr.run.Follow(tr.ctx, 0) {
		if err != nil {
			tr.violate(wholeEvents, "the events cannot be read: %v", err)
			return
		}
		all = append(all, e)
	}
	seen := map[string]int{}
	for i, e := range all {
		if e.Seq != i+1 {
			tr.violate(wholeEvents, "event %d has the number %d", i+1, e.Seq)
		}
		seen[string(e.Type)+" "+e.ToolCallID]++
		if e.Type == contract.EventRunEnd && i != len(all)-1 {
			tr.violate(wholeEvents, "event %d of %d is the end of the run", i+1, len(all))
		}
	}
	for key, n := range seen {
		kind, call, _ := strings.Cut(key, " ")
		if call != "" && n != 1 && kind != string(contract.EventRejected) {
			tr.violate(wholeEvents, "call %s has %d events %s", call, n, kind)
		}
	}
	tr.told.mu.Lock()
	defer tr.told.mu.Unlock()
	for i, e := range tr.told.events {
		if i >= len(all) || encode(e) != encode(all[i]) {
			tr.violate(wholeEvents, "event %d was told as %s", i+1, encode(e))
			return
		}
	}
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// deed is a call as the world sees it. In the scenario no two calls have the
// same tool and arguments.
type deed struct{ tool, body string }

// deeds groups what has reached the world by call.
func (tr *trial) deeds() map[deed][]world.Effect {
	all := map[deed][]world.Effect{}
	for _, e := range tr.world.All() {
		d := deed{e.Tool, e.Body}
		all[d] = append(all[d], e)
	}
	return all
}
