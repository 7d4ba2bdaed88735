package workflows

import (
	"encoding/json"
	"fmt"
	"slices"

	"errand/tools/item"
	"errand/workflows/contract"
)

const (
	// maxMessageID bounds the id of a message, in bytes.
	maxMessageID = 200
	// maxHeard is how many ids of messages a run remembers: the newest.
	maxHeard = 256
)

// heardMessage is a message that had an id, so that the same one is known when
// it comes again.
type heardMessage struct {
	ID     string `json:"id"`
	Digest string `json:"digest"`
}

// repeats tells whether a message was taken before: its sender did not learn
// that, and has sent it again. Another one under the same id is an error.
func (i *inbox) repeats(m contract.Message) (bool, error) {
	at := slices.IndexFunc(i.heard, func(h heardMessage) bool { return h.ID == m.ID })
	switch {
	case m.ID == "" || at < 0:
		return false, nil
	case i.heard[at].Digest != messageDigest(m):
		return false, fmt.Errorf("id: another message with the id %q was taken: give this one an id of its own", m.ID)
	}
	return true, nil
}

// remember keeps the id of a message that was taken.
func (i *inbox) remember(m contract.Message) {
	if m.ID == "" {
		return
	}
	i.heard = append(i.heard, heardMessage{m.ID, messageDigest(m)})
	if extra := len(i.heard) - maxHeard; extra > 0 {
		i.heard = slices.Clone(i.heard[extra:])
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
