package activities

import (
	"context"
	"encoding/json"
	"fmt"

	"go.temporal.io/sdk/activity"

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
	ctx, done := a.own.until(ctx)
	defer done()
	t := newTally(ctx, 0)
	defer beat(ctx, t.progress)()
	run := activity.GetInfo(ctx).WorkflowExecution.ID
	at, err := a.surface(ctx, in.Surface)
	if err != nil {
		return CompactResult{}, t.unread(ctx, err)
	}
	known, err := a.conversation(ctx, run, InferInput{Length: in.Length, Digest: in.Digest, From: in.Length})
	if err != nil {
		return CompactResult{}, t.unread(ctx, err)
	}
	s := shorten{all: known.items, shown: item.Shown(known.items)}
	s.keep = head(known.items)
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
		drop, instead, err := guarded(ctx, a.hooks.Compact, c)
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

// guarded calls a hook; its panic is an error.
func guarded(ctx context.Context, hook Compact, c CompactCall) (drop int, instead []json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
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

// shorten is a conversation and what its model is shown of it.
type shorten struct {
	all, shown []json.RawMessage
	keep       int
	// room is how many bytes of what is shown after keep should be left.
	room int
}

func (s *shorten) measure(in CompactInput) {
	bytes := 0
	for _, it := range s.shown[s.keep:] {
		bytes += len(it)
	}
	s.room = bytes / 2
	if in.Tokens > 0 {
		s.room = int(float64(bytes) * float64(in.Aim) / float64(in.Tokens))
	}
}

// notes is how many of the shown items stand for others: they are no reason to
// compact again.
func (s *shorten) notes() int { return len(s.shown) - s.keep - s.tail() }

// tail is how many of the shown items are the conversation's own, after keep.
func (s *shorten) tail() int {
	n := 0
	for _, it := range s.all[s.from():] {
		if !item.IsCompaction(it) {
			n++
		}
	}
	return n
}

// from is the index in the conversation at which the shown tail begins.
func (s *shorten) from() int {
	if at, c := item.Last(s.all); at >= 0 {
		return c.UpTo
	}
	return s.keep
}

// upTo is the index in the conversation behind the first drop shown items.
func (s *shorten) upTo(drop int) int {
	left := drop - s.notes()
	at := s.from()
	for ; at < len(s.all) && left > 0; at++ {
		if !item.IsCompaction(s.all[at]) {
			left--
		}
	}
	return at
}

// allowed is the largest cut that drops at most as much as a hook wants.
func (s *shorten) allowed(drop int) int {
	best := 0
	for _, at := range cuts(s.shown, s.keep) {
		if n := at - s.keep; n <= drop && n > s.notes() {
			best = n
		}
	}
	return best
}

func (s *shorten) result(drop int, instead []json.RawMessage, in CompactInput) CompactResult {
	upTo := s.upTo(drop)
	before, after := 0, tools.EncodedSize(instead)
	for i, it := range s.shown {
		before += len(it)
		if i < s.keep || i >= s.keep+drop {
			after += len(it)
		}
	}
	return CompactResult{
		Item:    item.Compaction{Keep: s.keep, UpTo: upTo, Items: instead}.Raw(),
		Tokens:  in.Tokens * int64(after) / int64(max(before, 1)),
		Dropped: upTo - s.keep,
	}
}
