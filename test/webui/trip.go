package webui

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"errand/starter"
	"errand/test/harness"
)

// trip is what the model says. It takes its time, as models do, so that the
// timeline has something to show.
func trip() harness.Script {
	return harness.Rounds(
		harness.Say("I will look at what there is.").And(harness.Calls(
			harness.ToolCall{ID: "call_1", Name: "now", Arguments: `{}`},
			harness.ToolCall{ID: "call_2", Name: "list_files", Arguments: `{}`},
		)).WithUsage(412, 38).After(700*time.Millisecond),
		harness.Calls(
			harness.ToolCall{ID: "call_3", Name: "read_file", Arguments: `{"path":"calendar.md"}`},
			harness.ToolCall{ID: "call_4", Name: "get_flight_times", Arguments: `{"departure":"LAX","arrival":"JFK"}`},
			harness.ToolCall{ID: "call_5", Name: "read_file", Arguments: `{"path":"travel-policy.md"}`},
		).WithUsage(547, 91).After(900*time.Millisecond),
		harness.Say("Take the flight at 09:05."),
	)
}

func tripRequest() starter.Request {
	route := json.RawMessage(`{"type":"object","required":["departure","arrival"],
		"properties":{"departure":{"type":"string"},"arrival":{"type":"string"}}}`)
	return starter.Request{
		Model: "gpt-5-mini", Input: "Which flight gets me to New York on Friday in time?",
		Run: starter.RunOptions{ClientTimeout: starter.Duration(72 * time.Hour)}, // its timer shows the wait in the timeline
		Tools: []starter.Tool{
			starter.Platform("now"), starter.Platform("list_files"), starter.Platform("read_file"),
			starter.Function("get_flight_times", "Departures of today.", route),
		},
	}
}

// writeFiles fills a directory for the file tools.
func writeFiles() (string, error) {
	dir, err := os.MkdirTemp("", "errand-scene-")
	if err != nil {
		return "", err
	}
	for name, text := range map[string]string{
		"calendar.md":      "Friday, 18:30: dinner in New York.\n",
		"travel-policy.md": "Economy class. No flights before 07:00.\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return dir, err
		}
	}
	return dir, nil
}
