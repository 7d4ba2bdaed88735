package starter

import (
	"context"

	"errand/tools"
	"errand/workflows/contract"
)

// news tells the loop of a server what happens in the run: that its report is
// out of date, and that the run is over.
type news struct {
	changed chan struct{}
	closed  chan struct{}
	// err is how following ended; look at it after closed is closed.
	err error
}

// callKey names a call the way that events do: its id is unique in its round.
type callKey struct {
	round int
	id    string
}

func (s *server) listen(ctx context.Context, after int) *news {
	n := &news{changed: make(chan struct{}, 1), closed: make(chan struct{})}
	go func() {
		defer close(n.closed)
		for event, err := range s.run.Follow(ctx, after) {
			if err != nil {
				n.err = err
				return
			}
			if s.concerns(event) {
				select {
				case n.changed <- struct{}{}:
				default:
				}
			}
		}
	}()
	return n
}

func (n *news) over() bool {
	select {
	case <-n.closed:
		return true
	default:
		return false
	}
}

// concerns tells whether an event opens something, or settles something that
// was not settled from here.
func (s *server) concerns(event contract.Event) bool {
	switch event.Type {
	case contract.EventManifest, contract.EventApprovalAsked:
		return true
	case contract.EventToolEnd:
		_, own := s.answered.Load(callKey{event.Round, event.ToolCallID})
		return !own && (event.Owner == tools.OwnedByClient || s.options.decide != nil)
	case contract.EventToolStart:
		return s.options.decide != nil
	default:
		return false
	}
}
