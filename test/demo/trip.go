package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"errand/starter"
	"errand/test/harness"
)

// flightTimes is the program that answers the client's calls: this one, under
// another name.
const flightTimes = "flight-times"

// The run and what it is made of.
const (
	runID       = "demo"
	requestFile = "request.json"
	tripFile    = "trip.md"
	tripText    = "Dinner in New York, Friday at 18:30\n"
)

// thinking is how long the model takes: enough to watch.
const thinking = 600 * time.Millisecond

// script is what the model says: first a mixed batch, then an answer made of
// the three outcomes, whatever they were.
func script() harness.Script {
	return harness.Match(
		harness.WhenFunc(func(d harness.Decoded) bool { return d.Turn() == 0 }, harness.Always(harness.Calls(
			harness.ToolCall{ID: "call_1", Name: "now", Arguments: `{}`},
			harness.ToolCall{ID: "call_2", Name: "read_file", Arguments: `{"path":"` + tripFile + `"}`},
			harness.ToolCall{ID: "call_3", Name: "get_flight_times", Arguments: `{"departure":"LAX","arrival":"JFK"}`},
		).After(thinking))),
		harness.Otherwise(func(d harness.Decoded) harness.Answer {
			return harness.Say(advice(d.Outputs())).After(thinking)
		}),
	)
}

func advice(outcomes []harness.CallOutput) string {
	said := map[string]string{}
	for _, outcome := range outcomes {
		said[outcome.CallID] = strings.TrimSpace(outcome.Output)
	}
	return fmt.Sprintf("It is %s. Your note says %q.\nFlights leave from %s.\nTake the one at 09:05.",
		said["call_1"], said["call_2"], said["call_3"])
}

func request() starter.Request {
	route := json.RawMessage(`{"type":"object","required":["departure","arrival"],` +
		`"properties":{"departure":{"type":"string"},"arrival":{"type":"string"}}}`)
	return starter.Request{
		Model: "scripted", Input: "Which flight gets me to New York in time?",
		Tools: []starter.Tool{
			starter.Platform("now"), starter.Platform("read_file"),
			starter.Function("get_flight_times", "Departures of the day.", route),
		},
	}
}

// runArguments are the command line of the run.
func runArguments(address string) []string {
	return []string{
		"run", "--address", address, "--run-id", runID, "--file", requestFile,
		"--exec", "get_flight_times=./" + flightTimes,
	}
}

// answerFlightTimes is the client's tool: arguments in, text out.
func answerFlightTimes(in io.Reader, out, complaints io.Writer) int {
	var route struct{ Departure, Arrival string }
	if err := json.NewDecoder(in).Decode(&route); err != nil {
		_, _ = fmt.Fprintln(complaints, "the arguments are no route:", err)
		return exitFailed
	}
	_, _ = fmt.Fprintf(out, "%s to %s at 07:10, 09:05 and 13:40\n", route.Departure, route.Arrival)
	return 0
}
