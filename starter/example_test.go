package starter_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"go.temporal.io/sdk/client"

	"errand/starter"
	"errand/workflows/contract"
)

// connected stands for a client made with client.Dial.
var connected client.Client

func ExampleRequest() {
	raw, err := json.MarshalIndent(starter.Request{
		Model: "gpt-5-mini",
		Input: "When does the next flight to Oslo leave?",
		Tools: []starter.Tool{
			starter.Function("get_flight_times", "Departures of today.",
				json.RawMessage(`{"type":"object","properties":{"to":{"type":"string"}},"required":["to"]}`)),
			starter.Platform("now"),
		},
		Run:   starter.RunOptions{MaxRounds: 20, ClientTimeout: starter.Duration(72 * time.Hour), ToolTimeout: starter.NoTimeout},
		Extra: map[string]any{"temperature": 0.2},
	}, "", "  ")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(raw))
	// Output:
	// {
	//   "model": "gpt-5-mini",
	//   "input": "When does the next flight to Oslo leave?",
	//   "tools": [
	//     {
	//       "type": "function",
	//       "name": "get_flight_times",
	//       "description": "Departures of today.",
	//       "parameters": {
	//         "type": "object",
	//         "properties": {
	//           "to": {
	//             "type": "string"
	//           }
	//         },
	//         "required": [
	//           "to"
	//         ]
	//       }
	//     },
	//     {
	//       "type": "platform",
	//       "name": "now"
	//     }
	//   ],
	//   "run": {
	//     "max_rounds": 20,
	//     "tool_timeout": "0s",
	//     "client_timeout": "72h0m0s"
	//   },
	//   "temperature": 0.2
	// }
}

func ExampleTool() {
	raw, err := json.Marshal(starter.Tool{
		Type:  "mcp",
		Extra: map[string]any{"server_label": "db", "require_approval": "never"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(raw))
	// Output: {"type":"mcp","require_approval":"never","server_label":"db"}
}

func ExampleOutput() {
	answer, err := json.Marshal(starter.Output("act_1_0", map[string]string{"departs": "09:40"}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(answer))
	// Output: {"action_id":"act_1_0","output":{"departs":"09:40"}}
}

// A request is checked before anything is sent, so this needs no server.
func ExampleStarter_Start_invalid() {
	s := starter.New(connected)
	_, err := s.Start(context.Background(), starter.Request{
		Tools: []starter.Tool{starter.Function("", "A tool without a name.", nil)},
	})
	var invalid *starter.InvalidRequestError
	if errors.As(err, &invalid) {
		for _, fault := range invalid.Faults {
			fmt.Println(fault)
		}
	}
	// Output:
	// model: required: the name of a model
	// input: required: text, or an array of items
	// tools[0].name: required: a non-empty string
}

func ExampleStarter_Start() {
	ctx := context.Background()
	run, err := starter.New(connected).Start(ctx, starter.Request{
		Model: "gpt-5-mini",
		Input: "What time is it?",
		Tools: []starter.Tool{starter.Platform("now")},
	}, starter.WithRunID("ticket-42"), starter.AttachIfRunning())
	if err != nil {
		log.Fatal(err)
	}
	result, err := run.Result(ctx)
	var failed *starter.RunFailedError
	switch {
	case errors.As(err, &failed):
		log.Printf("failed (%s) after %d rounds", failed.Type, result.Run.Rounds)
	case err != nil:
		log.Fatal(err)
	default:
		fmt.Println(result.OutputText)
	}
}

func ExampleStarter_List() {
	query := starter.ListQuery{Status: contract.InProgress, Limit: 10}
	for run, err := range starter.New(connected).List(context.Background(), query) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(run.ID, run.Model, run.Prompt)
	}
}

func ExampleRun_Serve() {
	run := starter.New(connected).Attach("ticket-42")
	err := run.Serve(context.Background(), starter.Handlers{
		"get_flight_times": func(_ context.Context, call starter.Call) (any, error) {
			var args struct {
				To string `json:"to"`
			}
			if err := call.Decode(&args); err != nil {
				return nil, err
			}
			return map[string]string{"to": args.To, "departs": "09:40"}, nil
		},
	}, starter.Concurrency(10), starter.OnNoHandler(starter.Leave))
	if err != nil {
		log.Fatal(err)
	}
}

// A service answers the calls of every run on the queue, until it is stopped.
// Start it on several machines to share the work.
func ExampleStarter_ServeAll() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := starter.New(connected).ServeAll(ctx, starter.Handlers{
		"charge": func(ctx context.Context, call starter.Call) (any, error) {
			var args struct{ Amount int }
			if err := call.Decode(&args); err != nil {
				return nil, err
			}
			// The key is the same if another process has to do this again.
			return charge(ctx, args.Amount, call.Key)
		},
	}, starter.Concurrency(50), starter.Require("charge", "Amount"))
	if !errors.Is(err, context.Canceled) {
		log.Fatal(err)
	}
}

// charge stands for what a service does.
func charge(context.Context, int, string) (string, error) { return "charged", nil }

// Somebody watches what a run waits for.
func ExampleRun_WatchRun() {
	run := starter.New(connected).Attach("ticket-42")
	for watched, err := range run.WatchRun(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		for _, action := range watched.Actions {
			fmt.Println(action.ActionID, "waits for", action.Tool)
		}
		if watched.Status.Terminal() {
			fmt.Println(watched.Status)
		}
	}
}

func ExampleRun_Follow() {
	run := starter.New(connected).Attach("ticket-42")
	for event, err := range run.Follow(context.Background(), 0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Seq, event.Type, event.Tool, event.Status)
	}
}

// A person answers what is open, hours later and in another process.
func ExampleRun_Answer() {
	ctx := context.Background()
	run := starter.New(connected).Attach("ticket-42")
	status, err := run.Status(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, action := range status.Actions {
		_, err := run.Answer(ctx, starter.Output(action.ActionID, "It leaves at 09:40."))
		var refused *starter.RefusedError
		if errors.As(err, &refused) {
			log.Print(refused.Reason) // somebody was faster
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
