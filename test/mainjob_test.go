package test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/starter"
	"errand/test/harness"
	"errand/tools/item"
	"errand/worker"
	"errand/workflows/contract"
)

const flightParameters = `{"type":"object","properties":{"departure":{"type":"string"},"arrival":{"type":"string"}},"required":["departure","arrival"]}`

func flightRequest(model string) starter.Request {
	return starter.Request{
		Model: model, Instructions: "Answer in one line.", Input: "When can I fly from LAX to JFK?",
		Tools: []starter.Tool{
			starter.Platform("weather"), starter.Platform("calendar"),
			starter.Function("get_flight_times", "Looks flights up.", json.RawMessage(flightParameters)),
		},
	}
}

// serveFlights answers the client's calls as an application would.
func serveFlights(ctx context.Context, run *starter.Run) <-chan error {
	served := make(chan error, 1)
	go func() {
		served <- run.Serve(ctx, starter.Handlers{
			"get_flight_times": func(_ context.Context, call starter.Call) (any, error) {
				var route struct{ Departure, Arrival string }
				if err := call.Decode(&route); err != nil {
					return nil, err
				}
				return fmt.Sprintf("%s to %s at 9:00", route.Departure, route.Arrival), nil
			},
		})
	}()
	return served
}

func mixedBatch() harness.Script {
	return harness.Rounds(
		harness.Calls(
			harness.ToolCall{ID: "c1", Name: "weather", Arguments: `{}`},
			harness.ToolCall{ID: "c2", Name: "get_flight_times", Arguments: `{"departure":"LAX","arrival":"JFK"}`},
			harness.ToolCall{ID: "c3", Name: "calendar", Arguments: `{}`},
		),
		harness.Say("Fly at 9:00."),
	)
}

func TestMixedBatchRunsOverBothModelAPIs(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		api    string
		stream bool
	}{
		"responses": {"responses", false}, "responses streamed": {"responses", true},
		"chat": {"chat", false}, "chat streamed": {"chat", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, mixedBatch())
			config := s.config(row.api)
			config.Models[0].Stream = row.stream
			s.workWith(config, worker.WithTools(fixed("weather", "sunny"), fixed("calendar", "free")))
			ctx := within(t)
			run, err := s.starter.Start(ctx, flightRequest("gpt-test"))
			require.NoError(t, err)
			served := serveFlights(ctx, run)
			result, err := run.Result(ctx)
			require.NoError(t, err)
			require.NoError(t, <-served)

			require.Equal(t, contract.Completed, result.Status)
			require.Equal(t, "Fly at 9:00.", result.OutputText)
			require.Equal(t, 2, result.Run.Rounds)
			require.Len(t, result.Run.Traces, 3)
			require.EqualValues(t, 20, result.Usage.InputTokens, "usage is summed over the rounds")
			requireOriginOrder(t, s.model.Requests()[1], row.stream)
			requireEventOrder(t, run)
		})
	}
}

// requireOriginOrder checks what the model was shown in the second round.
func requireOriginOrder(t *testing.T, request harness.Request, streamed bool) {
	t.Helper()
	decoded, err := harness.Decode(request)
	require.NoError(t, err)
	require.Equal(t, streamed, decoded.Stream)
	outputs := decoded.Outputs()
	require.Len(t, outputs, 3)
	for i, want := range []string{"sunny", "LAX to JFK at 9:00", "free"} {
		require.Equal(t, fmt.Sprintf("c%d", i+1), outputs[i].CallID)
		require.Equal(t, want, outputs[i].Output)
	}
}

func requireEventOrder(t *testing.T, run *starter.Run) {
	t.Helper()
	place := map[string]int{}
	for e, err := range run.Follow(within(t), 0) {
		require.NoError(t, err)
		place[string(e.Type)+" "+e.ToolCallID] = e.Seq
	}
	require.Less(t, place["tool_execution_start c3"], place["tool_call_manifest c2"], "everything is prepared before anything is handed over")
	require.Less(t, place["tool_result c1"], place["tool_result c2"])
	require.Less(t, place["tool_result c2"], place["tool_result c3"])
	require.NotZero(t, place["run_end "])
}

const aimockFixtures = `{"fixtures":[
  {"match":{"userMessage":"LAX","hasToolResult":false},"response":{"toolCalls":[
    {"id":"c1","name":"weather","arguments":"{}"},
    {"id":"c2","name":"get_flight_times","arguments":"{\"departure\":\"LAX\",\"arrival\":\"JFK\"}"},
    {"id":"c3","name":"calendar","arguments":"{}"}]}},
  {"match":{"userMessage":"LAX","hasToolResult":true},"response":{"content":"Fly at 9:00."}}]}`

func TestMainJobRunsAgainstAnIndependentFake(t *testing.T) {
	t.Parallel()
	aimock := harness.Aimock(t, aimockFixtures)
	for _, api := range []string{"responses", "chat"} {
		t.Run(api, func(t *testing.T) {
			s := newStage(t, harness.Always(harness.Say("the scripted model is not asked")))
			config := s.config(api)
			config.Models = []worker.Endpoint{{Match: "*", BaseURL: aimock.URL, API: api, APIKey: "any"}}
			s.workWith(config, worker.WithTools(fixed("weather", "sunny"), fixed("calendar", "free")))
			ctx := within(t)
			run, err := s.starter.Start(ctx, flightRequest("gpt-4o"))
			require.NoError(t, err)
			served := serveFlights(ctx, run)
			result, err := run.Result(ctx)
			require.NoError(t, err)
			require.NoError(t, <-served)
			require.Equal(t, "Fly at 9:00.", result.OutputText)
			require.Empty(t, s.model.Requests())
		})
	}
}

func TestRequestReachesTheModelUnchanged(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Always(harness.Say("ok")))
	s.work("responses")
	ctx := within(t)
	odd := `{"role":"user","content":"hi","vendor":{"n":9007199254740993}}`
	run, err := s.starter.Start(ctx, json.RawMessage(`{"model":"m","input":[`+odd+`],"temperature":0.20,
		"reasoning":{"effort":"low"},"text":{"format":{"type":"text"}},"include":["reasoning.encrypted_content"],"vendor_key":[1,2]}`))
	require.NoError(t, err)
	result, err := run.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, "ok", result.OutputText)
	var sent map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(s.model.Requests()[0].Body, &sent))
	require.Equal(t, `[`+odd+`]`, string(sent["input"]))
	require.Equal(t, `0.20`, string(sent["temperature"]))
	require.JSONEq(t, `[1,2]`, string(sent["vendor_key"]))
	require.JSONEq(t, `["reasoning.encrypted_content"]`, string(sent["include"]))
	require.NotContains(t, sent, "tools")
	require.NotContains(t, sent, "run")
}

func TestModelRefusalsAndOutages(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Match(
		harness.When("forbidden", harness.Always(harness.Failure(401, "invalid_api_key", "bad key"))),
		harness.When("busy", harness.FailFirst(1, harness.Failure(429, "rate_limit_exceeded", "slow down").WithHeader("Retry-After", "3"), harness.Always(harness.Say("at last")))),
		harness.When("down", harness.Always(harness.Failure(503, "", "gone"))),
		harness.When("broken", harness.FailFirst(1, harness.Raw(`<html>`), harness.Always(harness.Say("mended")))),
	))
	s.work("responses")
	ctx := within(t)
	start := func(text string) *starter.Run {
		run, err := s.starter.Start(ctx, starter.Request{Model: "m", Input: text, Run: starter.RunOptions{ModelAttempts: 2}})
		require.NoError(t, err)
		return run
	}
	forbidden, busy, down, broken := start("forbidden"), start("busy"), start("down"), start("broken")

	result, err := forbidden.Result(ctx)
	var failed *starter.RunFailedError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, contract.ErrModelRejected, failed.Type)
	require.Contains(t, result.Error.Message, "401")
	require.Contains(t, result.Error.Message, "bad key")

	result, err = busy.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, "at last", result.OutputText)
	asked := s.asked(t, "busy")
	require.Len(t, asked, 2)
	require.GreaterOrEqual(t, asked[1].Sub(asked[0]), 3*time.Second, "no sooner than the server asked for")

	_, err = down.Result(ctx)
	require.ErrorAs(t, err, &failed)
	require.Equal(t, contract.ErrModelUnavailable, failed.Type)
	require.Contains(t, failed.Message, "503")
	require.Len(t, s.asked(t, "down"), 2, "as often as the run allows")

	result, err = broken.Result(ctx)
	require.NoError(t, err)
	require.Equal(t, "mended", result.OutputText)
}

// asked is when the model was asked something by a user who said text.
func (s *stage) asked(t *testing.T, text string) []time.Time {
	t.Helper()
	var all []time.Time
	for _, request := range s.model.Requests() {
		decoded, err := harness.Decode(request)
		require.NoError(t, err)
		if strings.Contains(decoded.LastUserText(), text) {
			all = append(all, request.At)
		}
	}
	return all
}

func TestCancelStopsARunningModelCall(t *testing.T) {
	t.Parallel()
	s := newStage(t, harness.Always(harness.Hang()))
	s.work("responses")
	ctx := within(t)
	run, err := s.starter.Start(ctx, starter.Request{Model: "m", Input: "wait"})
	require.NoError(t, err)
	harness.Eventually(t, patience, func() (bool, string) {
		return s.model.Hanging() == 1, fmt.Sprint(s.model.Hanging())
	}, "the model is being asked")
	require.NoError(t, run.Cancel(ctx))
	result, err := run.Result(ctx)
	require.ErrorIs(t, err, starter.ErrCancelled)
	require.Equal(t, contract.Cancelled, result.Status)
	harness.Eventually(t, patience, func() (bool, string) {
		return s.model.Hanging() == 0, fmt.Sprint(s.model.Hanging())
	}, "the request to the model has been dropped")
}

func TestLongNamesAreShortenedForTheModelAndRestored(t *testing.T) {
	t.Parallel()
	name := "flights.get/times-abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz"
	s := newStage(t, func(d harness.Decoded) harness.Answer {
		if d.Turn() == 0 {
			return harness.Call(d.Tools[0].Name, `{}`)
		}
		return harness.Say("done")
	})
	s.work("responses")
	ctx := within(t)
	run, err := s.starter.Start(ctx, starter.Request{
		Model: "m", Input: "go", Tools: []starter.Tool{starter.Function(name, "", nil)},
		ToolChoice: json.RawMessage(`{"type":"function","name":"` + name + `"}`),
	})
	require.NoError(t, err)
	require.NoError(t, run.Serve(ctx, starter.Handlers{name: func(context.Context, starter.Call) (any, error) { return "x", nil }}))
	result, err := run.Result(ctx)
	require.NoError(t, err)
	head, err := item.Peek(result.Output[0])
	require.NoError(t, err)
	require.Equal(t, name, head.Name)
	first, err := harness.Decode(s.model.Requests()[0])
	require.NoError(t, err)
	require.Regexp(t, `^[A-Za-z0-9_-]{1,64}$`, first.Tools[0].Name)
	require.JSONEq(t, `{"type":"function","name":"`+first.Tools[0].Name+`"}`, string(first.ToolChoice))
	second, err := harness.Decode(s.model.Requests()[1])
	require.NoError(t, err)
	require.JSONEq(t, `"auto"`, string(second.ToolChoice), "a forced choice applies to the first round")
}
