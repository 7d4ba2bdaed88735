// Package inbox keeps the messages that were sent to a run until their turn
// comes, and knows those that come again.
package inbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"errand/tools"
	"errand/tools/item"
	"errand/workflows/contract"
)

// Inbox is what arrived from outside and waits for its turn.
type Inbox struct {
	Steering  []json.RawMessage `json:"steering,omitempty"`
	FollowUps []json.RawMessage `json:"follow_ups,omitempty"`
	// Remembered are the newest messages that had an id.
	Remembered []Remembered `json:"remembered,omitempty"`
	// Unknown are the names of signals that nobody reads, of earlier
	// executions too.
	Unknown []string `json:"unknown,omitempty"`
}

// Remembered is a message that had an id, so that the same one is known when
// it comes again.
type Remembered struct {
	ID     string `json:"id"`
	Digest string `json:"digest"`
}

const (
	// maxMessageID bounds the id of a message, in bytes.
	maxMessageID = 200
	// maxRemembered is how many ids of messages a run remembers: the newest.
	maxRemembered = 256
	// maxUnknown bounds the names of unknown signals.
	maxUnknown = 200
)

// Check makes a message ready to be queued, or says what is wrong with it.
func Check(m contract.Message) (contract.Message, error) {
	if m.Role == "" {
		m.Role = "user"
	}
	switch {
	case len(m.ID) > maxMessageID:
		return m, fmt.Errorf("id: has %d bytes, at most %d are taken", len(m.ID), maxMessageID)
	case m.Role != "user" && m.Role != "system" && m.Role != "developer":
		return m, fmt.Errorf("role: %q cannot send a message: user, system or developer", m.Role)
	case !contract.IsContent(m.Content) || string(m.Content) == `""`:
		return m, errors.New("content: required: text, or an array of content parts")
	case m.Deliver != "" && m.Deliver != contract.DeliverSteer && m.Deliver != contract.DeliverFollowUp:
		return m, fmt.Errorf(`deliver: %q is not known: "steer" or "follow_up"`, m.Deliver)
	}
	content, err := tools.Canonical(m.Content)
	if err != nil {
		return m, fmt.Errorf("content: %w", err)
	}
	if len(content) > contract.MaxAnswerSize {
		return m, fmt.Errorf("content: has %d bytes as JSON, at most %d are taken", len(content), contract.MaxAnswerSize)
	}
	m.Content = content
	return m, nil
}

// Queue takes a message, and remembers its id if it has one.
func (i *Inbox) Queue(m contract.Message) {
	i.remember(m)
	message := item.MessageWith(m.Role, m.Content)
	if m.Deliver == contract.DeliverFollowUp {
		i.FollowUps = append(i.FollowUps, message)
		return
	}
	i.Steering = append(i.Steering, message)
}

// Take removes the messages of the next round: all steering, or one follow-up.
func (i *Inbox) Take(followUp bool) []json.RawMessage {
	if followUp && len(i.FollowUps) > 0 {
		next := i.FollowUps[:1:1]
		i.FollowUps = i.FollowUps[1:]
		return next
	}
	next := i.Steering
	i.Steering = nil
	return next
}

// Size is what the waiting messages take, in bytes.
func (i *Inbox) Size() int {
	size := 0
	for _, queued := range [][]json.RawMessage{i.Steering, i.FollowUps} {
		for _, it := range queued {
			size += len(it)
		}
	}
	return size
}

// Repeats tells whether a message was taken before: its sender did not learn
// that, and has sent it again. Another one under the same id is an error.
func (i *Inbox) Repeats(m contract.Message) (bool, error) {
	at := slices.IndexFunc(i.Remembered, func(r Remembered) bool { return r.ID == m.ID })
	switch {
	case m.ID == "" || at < 0:
		return false, nil
	case i.Remembered[at].Digest != messageDigest(m):
		return false, fmt.Errorf("id: another message with the id %q was taken: give this one an id of its own", m.ID)
	}
	return true, nil
}

func (i *Inbox) remember(m contract.Message) {
	if m.ID == "" {
		return
	}
	i.Remembered = append(i.Remembered, Remembered{m.ID, messageDigest(m)})
	if extra := len(i.Remembered) - maxRemembered; extra > 0 {
		i.Remembered = slices.Clone(i.Remembered[extra:])
	}
}

func messageDigest(m contract.Message) string {
	if m.Deliver == "" {
		m.Deliver = contract.DeliverSteer
	}
	parts, err := json.Marshal([]string{m.Role, m.Deliver, string(m.Content)})
	if err != nil {
		panic(err) // texts can always be written
	}
	return item.Digest(parts)
}

// NoteUnknown keeps the names of signals that nobody reads, in their order.
func (i *Inbox) NoteUnknown(names []string) {
	for _, name := range names {
		if !slices.Contains(i.Unknown, name) && len(i.Unknown) < maxUnknown {
			i.Unknown = append(i.Unknown, name)
		}
	}
	slices.Sort(i.Unknown)
}
