package harness

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A run of two rounds: two calls, then a text. hasToolResult looks behind the
// last word of the user, so the pair also works when a conversation goes on.
const flightFixtures = `{"fixtures":[
	{"match":{"userMessage":"Fly","hasToolResult":false},
	 "response":{"content":"Looking.","toolCalls":[
		{"id":"call_1_0","name":"fly","arguments":{"to":"JFK"}},
		{"id":"call_1_1","name":"fly","arguments":{"to":"LGA"}}]}},
	{"match":{"userMessage":"Fly","hasToolResult":true},"response":{"content":"It leaves at 9:00."}},
	{"match":{"userMessage":"overload"},"response":{"error":{"message":"later","type":"server_error","code":"overloaded"},"status":503}}
]}`

func TestAimockPlaysTwoRoundsInBothDialects(t *testing.T) {
	t.Parallel()
	aimock := Aimock(t, flightFixtures)
	calls := []ToolCall{{"call_1_0", "fly", `{"to":"JFK"}`}, {"call_1_1", "fly", `{"to":"LGA"}`}}

	for range 2 { // a retried request gets the same answer
		_, body := post(t, aimock.URL+"/responses", responsesFirst)
		first := readResponses(t, body)
		require.Equal(t, calls, first.Calls)
		require.Equal(t, "Looking.", first.Text)
		_, body = post(t, aimock.URL+"/responses", responsesSecond)
		require.Equal(t, "It leaves at 9:00.", readResponses(t, body).Text)
		require.Empty(t, readResponses(t, body).Calls)
	}

	_, body := post(t, aimock.URL+"/chat/completions", chatFirst)
	first := readChat(t, body)
	require.Equal(t, calls, first.Calls)
	require.Equal(t, "tool_calls", first.Stop)
	_, body = post(t, aimock.URL+"/chat/completions", chatSecond)
	require.Equal(t, "It leaves at 9:00.", readChat(t, body).Text)
	require.Equal(t, "stop", readChat(t, body).Stop)
	require.Equal(t, 6, strings.Count(string(aimock.Journal(t)), `"method":"POST"`))
}

func TestAimockStreamsAndFails(t *testing.T) {
	t.Parallel()
	aimock := Aimock(t, flightFixtures)
	_, body := post(t, aimock.URL+"/responses", streamed(responsesSecond))
	frames := readFrames(t, body)
	require.Equal(t, "response.created", frames[0].event)
	require.Equal(t, "response.completed", frames[len(frames)-1].event)
	_, body = post(t, aimock.URL+"/chat/completions", streamed(chatSecond))
	frames = readFrames(t, body)
	require.Equal(t, "[DONE]", frames[len(frames)-1].data)

	response, body := post(t, aimock.URL+"/responses", `{"model":"m","input":"overload"}`)
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	require.Contains(t, body, "overloaded")
	response, _ = post(t, aimock.URL+"/responses", `{"model":"m","input":"nothing fits this"}`)
	require.Equal(t, http.StatusNotFound, response.StatusCode)
}
