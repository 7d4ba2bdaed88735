package workflows

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"errand/activities/model"
	"errand/tools"
	"errand/workflows/actions"
	"errand/workflows/budget"
	"errand/workflows/contract"
	"errand/workflows/conversation"
	"errand/workflows/events"
	"errand/workflows/inbox"
	"errand/workflows/report"
)

// state is what a run carries into a new execution as it is. A field that is
// added here is carried; what can be worked out again (digests, sizes, surface)
// its part leaves out.
type state struct {
	// Request is carried without its input, which is in the conversation.
	Request      contract.Request          `json:"request"`
	Conversation conversation.Conversation `json:"conversation,omitzero"`
	// Round counts from 1; 0 before the first inference.
	Round int `json:"round,omitempty"`
	// Stop is how the answer with the running batch ended; MidRound is true until
	// that batch is dealt with.
	Stop     model.FinishReason `json:"stop,omitempty"`
	MidRound bool               `json:"mid_round,omitempty"`
	// Running is the current batch; what is open in Ledger belongs to it.
	Running actions.Batch  `json:"running,omitempty"`
	Ledger  actions.Ledger `json:"ledger,omitzero"`
	Budget  budget.Budget  `json:"budget,omitzero"`
	// Stopped is nil until somebody stops the run; the hardest mode stays.
	Stopped *contract.StopReport `json:"stopped,omitempty"`
	Inbox   inbox.Inbox          `json:"inbox,omitzero"`
	Journal events.Journal       `json:"journal,omitzero"`
	Report  report.Report        `json:"report,omitzero"`
	// Sessions are what is open; the new execution's Cleanup takes it over.
	Sessions sessions `json:"sessions,omitzero"`
}

// snapshotFormat is raised when older builds must not read a snapshot: when a
// field changes its meaning. A new field needs no new format.
const snapshotFormat = 1

// snapshot is the whole state of a run as plain data: what a new execution
// needs to go on with it.
type snapshot struct {
	Format int `json:"format"`
	state
	Descriptors []tools.Descriptor `json:"descriptors,omitempty"`
}

// snapshot takes down the state of a run. No activity may be in flight.
func (r *run) snapshot() snapshot {
	s := snapshot{Format: snapshotFormat, state: r.state}
	s.Request.Input = nil
	s.Report = r.Report.Without(r.Conversation.Items)
	if r.registry != nil {
		s.Descriptors = r.registry.All()
	}
	if !r.MidRound { // nothing needs the last batch any more
		s.Running = nil
	}
	return s
}

// restore gives a new run the state that another execution took down.
func (r *run) restore(s snapshot) error {
	r.state = s.state
	r.Conversation.Restore()
	if err := r.Report.Restore(r.Conversation.Items); err != nil {
		return err
	}
	r.registry = tools.RegistryOf(s.Descriptors)
	r.surface = conversation.NewSurface(r.Request, r.registry)
	for _, c := range r.Running {
		c.Descriptor = r.descriptor(c.Identity())
	}
	return r.Ledger.Connect(r.Running)
}

const (
	// MaxStateSize is the largest state, compressed, that a run takes into a
	// new execution: a Temporal server takes 2 MiB of arguments.
	MaxStateSize = 15 << 17
	// maxRawState bounds the state before it is compressed. That is work of a
	// workflow task, which must not take long.
	maxRawState = 12 << 20
	// MaxStoredState is the largest state, before and after it is compressed,
	// where the workers have external storage.
	MaxStoredState = 24 << 20
	// Older events and traces than these are left behind by a run that
	// continues; fewer travel with one that would not fit otherwise.
	keptEvents, fewEvents = 20_000, 2_000
	keptTraces, fewTraces = 5_000, 500
)

var errStateTooLarge = errors.New("the state of the run is too large for a new execution")

// maxRaw and maxState bound the state before and after it is compressed.
func (r *run) maxRaw() int   { return r.orStored(maxRawState) }
func (r *run) maxState() int { return r.orStored(MaxStateSize) }

func (r *run) orStored(limit int) int {
	if r.Report.Stored > 0 {
		return MaxStoredState
	}
	return limit
}

// pack is the state of the run as it travels. It can be larger than maxState.
func (r *run) pack() ([]byte, error) {
	s := r.snapshot()
	s.shed(keptEvents, keptTraces)
	if s.rawSize() > r.maxRaw() {
		s.shed(fewEvents, fewTraces)
	}
	if s.rawSize() > r.maxRaw() {
		return nil, errStateTooLarge
	}
	packed, err := s.encode()
	if len(packed) > r.maxState() && s.shed(fewEvents, fewTraces) {
		return s.encode()
	}
	return packed, err
}

// shed leaves the oldest events and traces behind, so that only so many stay,
// and tells whether there were any.
func (s *snapshot) shed(events, traces int) bool {
	return s.Journal.Shed(events)+s.Report.Shed(traces) > 0
}

// rawSize is about the size of the snapshot's JSON text.
func (s *snapshot) rawSize() int {
	const eachEvent, eachTrace = 250, 350
	size := eachEvent*len(s.Journal.Events) + eachTrace*len(s.Report.Traces) + s.Inbox.Size()
	for _, texts := range [][]json.RawMessage{s.Conversation.Items, s.Report.Output} {
		for _, text := range texts {
			size += len(text)
		}
	}
	for _, c := range s.Running {
		size += len(c.Arguments) + eachEvent
		if c.Settled() {
			size += len(c.Outcome.Output)
		}
	}
	size += eachEvent * (len(s.Ledger.Actions) + len(s.Ledger.Approvals))
	return size + len(s.Request.RawTools) + tools.EncodedSize(s.Descriptors)
}

// level is most of what gzip can do, in half of the time.
const level = 3

// encode is the snapshot as it travels: JSON, compressed. Texts stay byte for
// byte as they are, since digests are of their bytes.
func (s snapshot) encode() ([]byte, error) {
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, level)
	if err != nil { // only an unknown level is refused
		return nil, err
	}
	text := json.NewEncoder(zip)
	text.SetEscapeHTML(false)
	if err := errors.Join(text.Encode(s), zip.Close()); err != nil {
		return nil, fmt.Errorf("write down the state of the run: %w", err)
	}
	return packed.Bytes(), nil
}

// decodeSnapshot reads what encode wrote.
func decodeSnapshot(packed []byte) (snapshot, error) {
	var s snapshot
	zip, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return s, fmt.Errorf("read the state of the run: %w", err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		return s, fmt.Errorf("read the state of the run: %w", err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("read the state of the run: %w", err)
	}
	if s.Format != snapshotFormat {
		return s, &formatError{s.Format}
	}
	return s, nil
}

// formatError is a snapshot that another build wrote and this one must not
// read.
type formatError struct{ format int }

func (e *formatError) Error() string {
	return fmt.Sprintf("the state of this run has format %d, and this build reads format %d: run the build that wrote it, or a newer one",
		e.format, snapshotFormat)
}
