package activities

import (
	"context"
	"encoding/json"
	"fmt"

	"go.temporal.io/sdk/activity"

	"errand/activities/usercode"
	"errand/tools"
	"errand/tools/item"
)

// Compact decides what to leave out of a conversation that has become too long
// for its model. It returns how many of c.Items to drop from the beginning, and
// what to show in their place: a summary, for example. A number that would part
// a call from its outcome is made smaller until it does not. An error, a panic,
// an item in place that is no JSON object, or nothing dropped means that the oldest settled rounds go behind a note.
type Compact func(ctx context.Context, c CompactCall) (drop int, instead []json.RawMessage, err error)

// CompactCall is a conversation that has become too long.
type CompactCall struct {
	RunID string
	Model string
	// Head stays: the items up to the first message of the user.
	Head []json.RawMessage
	// Items are those after it that the model was shown last, in the public
	// shapes, what earlier compactions put there included.
	Items []json.RawMessage
	// Room is how many bytes of Items should be left, more or less.
	Room int
}

// CompactInput names a conversation in the way that InferInput does.
type CompactInput struct {
	Round   int    `json:"round"`
	Surface string `json:"surface"`
	Length  int    `json:"length"`
	Digest  string `json:"digest"`
	// Tokens is what the conversation is thought to have, Aim what it may have.
	Tokens int64 `json:"tokens"`
	Aim    int64 `json:"aim"`
}

// CompactResult holds the compaction, an item of the conversation; nil means
// that nothing more can be dropped.
type CompactResult struct {
	Item json.RawMessage `json:"item,omitempty"`
	// Tokens is what the model is thought to be shown with it.
	Tokens int64 `json:"tokens,omitempty"`
	// Dropped counts the items that the model no longer sees.
	Dropped int      `json:"dropped,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// maxInstead bounds what stands in place of dropped items.
const maxInstead = 256 << 10

// Compact makes a conversation shorter for its model.
func (a *Activities) Compact(ctx context.Context, in CompactInput) (CompactResult, error) {
	ctx, done := a.shutdown.ends(ctx)
	defer done()
	attempts := newAttemptCounter(ctx, 0)
	defer beat(ctx, attempts.heartbeat)()
	run := activity.GetInfo(ctx).WorkflowExecution.ID
	at, err := a.surface(ctx, in.Surface)
	if err != nil {
		return CompactResult{}, attempts.unread(ctx, err)
	}
	known, err := a.conversation(ctx, run, InferInput{Length: in.Length, Digest: in.Digest, From: in.Length})
	if err != nil {
		return CompactResult{}, attempts.unread(ctx, err)
	}
	s := shorten{all: known.Items, shown: item.Shown(known.Items)}
	s.keep = head(known.Items)
	s.measure(in)
	drop, instead, notes := a.choose(ctx, CompactCall{
		RunID: run, Model: at.Model, Head: s.shown[:s.keep], Items: s.shown[s.keep:], Room: s.room,
	}, s)
	if drop == 0 {
		return CompactResult{Notes: notes}, nil
	}
	result := s.result(drop, instead, in)
	result.Notes = notes
	return result, nil
}

// choose asks the worker's hook, and falls back to the default.
func (a *Activities) choose(ctx context.Context, c CompactCall, s shorten) (int, []json.RawMessage, []string) {
	var notes []string
	if a.hooks.Compact != nil {
		drop, instead, err := callCompact(ctx, a.hooks.Compact, c)
		drop = s.allowed(drop)
		if err == nil {
			instead, err = shownItems(instead)
		}
		switch {
		case err != nil:
			notes = append(notes, "the worker's Compact failed, the oldest rounds were dropped: "+cut(err.Error()))
		case tools.EncodedSize(instead) > maxInstead:
			notes = append(notes, fmt.Sprintf("what the worker's Compact put in place has over %d bytes, the oldest rounds were dropped", maxInstead))
		case drop > 0:
			return drop, instead, nil
		}
	}
	at := cutFor(s.shown, s.keep, s.keep+s.notes(), s.room)
	if at == 0 {
		return 0, nil, notes
	}
	drop := at - s.keep
	return drop, []json.RawMessage{item.LeftOutNote(s.upTo(drop) - s.keep)}, notes
}

func callCompact(ctx context.Context, hook Compact, c CompactCall) (drop int, instead []json.RawMessage, err error) {
	defer usercode.Recover(&err)
	return hook(ctx, c)
}

// shownItems are what a hook puts in place of items, as it goes into the
// conversation. One that no model could be sent is a fault of the hook: rounds
// must not vanish with nothing in their place.
func shownItems(instead []json.RawMessage) ([]json.RawMessage, error) {
	all := make([]json.RawMessage, len(instead))
	for i, it := range instead {
		text, err := tools.Canonical(it)
		if err != nil {
			return nil, fmt.Errorf("item %d in place of the dropped ones is no JSON: %w", i, err)
		}
		if _, is := tools.Object(text); !is {
			return nil, fmt.Errorf("item %d in place of the dropped ones is no JSON object", i)
		}
		all[i] = text
	}
	return all, nil
}
