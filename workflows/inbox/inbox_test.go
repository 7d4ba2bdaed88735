package inbox

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/workflows/contract"
)

func TestARunRemembersTheNewestIDsOfMessages(t *testing.T) {
	t.Parallel()
	var i Inbox
	for n := range maxRemembered + 1 {
		i.Queue(contract.Message{ID: fmt.Sprint(n), Content: []byte(`"x"`)})
	}
	require.Len(t, i.Remembered, maxRemembered)
	again, err := i.Repeats(contract.Message{ID: "0", Content: []byte(`"x"`)})
	require.NoError(t, err)
	require.False(t, again, "it was forgotten")
	again, err = i.Repeats(contract.Message{ID: "1", Content: []byte(`"x"`)})
	require.NoError(t, err)
	require.True(t, again)
}

func TestAMessageUnderATakenIDMustBeTheSame(t *testing.T) {
	t.Parallel()
	var i Inbox
	i.Queue(contract.Message{ID: "1", Role: "user", Content: []byte(`"x"`)})
	again, err := i.Repeats(contract.Message{ID: "1", Role: "user", Content: []byte(`"x"`), Deliver: contract.DeliverSteer})
	require.NoError(t, err)
	require.True(t, again, "steering is the default")
	_, err = i.Repeats(contract.Message{ID: "1", Role: "user", Content: []byte(`"y"`)})
	require.ErrorContains(t, err, "give this one an id of its own")
}

func TestARoundTakesAllSteeringOrOneFollowUp(t *testing.T) {
	t.Parallel()
	var i Inbox
	for _, deliver := range []string{"", contract.DeliverSteer, contract.DeliverFollowUp, contract.DeliverFollowUp} {
		i.Queue(contract.Message{Role: "user", Content: []byte(`"x"`), Deliver: deliver})
	}
	require.Positive(t, i.Size())
	require.Len(t, i.Take(true), 1)
	require.Len(t, i.Take(false), 2)
	require.Empty(t, i.Take(false))
	require.Len(t, i.Take(true), 1)
	require.Zero(t, i.Size())
}

func TestWhatIsWrongWithAMessage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"content":"x"}`:                    "",
		`{"content":"x","role":"assistant"}`: "role: ",
		`{"content":""}`:                     "content: required",
		`{"content":"x","deliver":"now"}`:    "deliver: ",
	} {
		var m contract.Message
		require.NoError(t, json.Unmarshal([]byte(text), &m))
		m, err := Check(m)
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "user", m.Role)
	}
}

func TestUnknownSignalNamesAreKeptOnceAndInOrder(t *testing.T) {
	t.Parallel()
	var i Inbox
	i.NoteUnknown([]string{"b", "c"})
	i.NoteUnknown([]string{"a", "c"})
	require.Equal(t, []string{"a", "b", "c"}, i.Unknown)
}
