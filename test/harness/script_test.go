package harness

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRoundsAreOfTheConversationNotOfTheServer(t *testing.T) {
	t.Parallel()
	model := StartModel(t, flight)
	var group sync.WaitGroup
	got, errs := make([]string, 40), make([]error, 40)
	for i := range got {
		group.Go(func() {
			body := responsesFirst
			if i%2 == 1 {
				body = responsesSecond
			}
			_, got[i], errs[i] = send(model.URL()+"/responses", body)
		})
	}
	group.Wait()
	for i, body := range got {
		require.NoError(t, errs[i])
		want := "Looking."
		if i%2 == 1 {
			want = "It leaves at 9:00 & 10:00."
		}
		require.Equal(t, want, readResponses(t, body).Text)
	}
	require.Len(t, model.Requests(), len(got))
}

func TestARoundTooManyIsRefused(t *testing.T) {
	t.Parallel()
	model := StartModel(t, Rounds(Call("fly", "{}")))
	response, body := post(t, model.URL()+"/responses", responsesSecond)
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.Contains(t, body, "the script has 1 rounds and was asked for round 2")
}

func TestFailFirstCountsRequestsThatAskTheSame(t *testing.T) {
	t.Parallel()
	model := StartModel(t, FailFirst(2, Failure(http.StatusServiceUnavailable, "overloaded", "later").WithHeader("Retry-After", "1"), Always(Say("yes"))))
	ask := func(text string) int {
		response, _ := post(t, model.URL()+"/responses", fmt.Sprintf(`{"model":"m","input":%q}`, text))
		if response.StatusCode != http.StatusOK {
			require.Equal(t, "1", response.Header.Get("Retry-After"))
		}
		return response.StatusCode
	}
	require.Equal(t, []int{503, 503, 503, 200, 503, 200}, []int{ask("a"), ask("b"), ask("a"), ask("a"), ask("b"), ask("b")})
}

func TestMatchTakesTheFirstCaseThatFits(t *testing.T) {
	t.Parallel()
	script := Match(
		When("weather", Always(Say("rain"))),
		WhenBegun("flight", Rounds(Say("JFK?"), Say("booked"))),
		WhenFunc(func(d Decoded) bool { return d.Model == "other" }, Always(Say("other"))),
	)
	for body, want := range map[string]string{
		`{"model":"m","input":"the weather, and a flight"}`: "rain",
		`{"model":"m","input":"a flight"}`:                  "JFK?",
		`{"model":"m","input":[{"role":"user","content":"a flight"},{"role":"assistant","content":"JFK?"},{"role":"user","content":"yes"}]}`: "booked",
		`{"model":"other","input":"hi"}`: "other",
	} {
		decoded, err := Decode(Request{Path: "/v1/responses", Body: []byte(body)})
		require.NoError(t, err)
		require.Equal(t, Say(want), script(decoded), body)
	}
	model := StartModel(t, script)
	response, body := post(t, model.URL()+"/responses", `{"model":"m","input":"hi"}`)
	require.Equal(t, http.StatusBadRequest, response.StatusCode)
	require.Contains(t, body, `the last word of the user is \"hi\"`)
	require.Equal(t, Say("rest"), Match(Otherwise(Always(Say("rest"))))(Decoded{}))
}

func TestSteeringBetweenRoundsDoesNotShiftTheScript(t *testing.T) {
	t.Parallel()
	steered := Decoded{Items: []json.RawMessage{
		json.RawMessage(`{"role":"user","content":"a"}`),
		json.RawMessage(`{"type":"function_call","call_id":"c","name":"n","arguments":"{}"}`),
		json.RawMessage(`{"type":"function_call_output","call_id":"c","output":{"x":1}}`),
		json.RawMessage(`{"role":"user","content":"rather b"}`),
	}}
	require.Equal(t, 1, steered.Turn())
	require.Equal(t, []CallOutput{{"c", `{"x":1}`}}, steered.Outputs())
	require.Equal(t, "a", steered.FirstUserText())
	require.Equal(t, "rather b", steered.LastUserText())
}
