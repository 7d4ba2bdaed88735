package worker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"errand/tools"
	"errand/tools/platform"
	"errand/worker"
)

// A worker with a tool of its own, and a rule that asks a person before large
// orders.
func Example() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	config, err := worker.LoadConfig(os.Environ())
	if err != nil {
		log.Fatal(err)
	}

	type order struct {
		SKU   string `json:"sku"`
		Count int    `json:"count"`
	}
	place := worker.Tool{
		Name:        "place_order",
		Description: "Orders an article.",
		Parameters: json.RawMessage(`{"type":"object","required":["sku","count"],
			"properties":{"sku":{"type":"string"},"count":{"type":"integer","minimum":1}}}`),
		Effect: tools.EffectIdempotent,
		Execute: platform.Func(func(ctx context.Context, in order) (any, error) {
			call, _ := platform.Invocation(ctx)
			return fmt.Sprintf("order %s placed: %d of %s", call.Key, in.Count, in.SKU), nil
		}),
	}
	askForMany := func(_ context.Context, call worker.HookCall) (worker.Decision, error) {
		var in order
		if err := json.Unmarshal(call.Arguments, &in); err != nil {
			return worker.Decision{}, err
		}
		if call.Call.Tool == "place_order" && in.Count > 100 {
			return worker.Ask(fmt.Sprintf("order %d of %s?", in.Count, in.SKU)), nil
		}
		return worker.Allow(), nil
	}

	w, err := worker.New(config,
		worker.WithBuiltins(),
		worker.WithTools(place),
		worker.WithBeforeToolCall(askForMany),
	)
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Run(ctx); err != nil {
		log.Fatal(err)
	}
}

// Every fault of the environment and the file is reported at once.
func ExampleLoadConfig() {
	dir, err := os.MkdirTemp("", "errand")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "errand.yaml")
	text := strings.Join([]string{
		`models:`,
		`  - {match: "gpt-*", base_url: "ftp://models.example", api_key: "${MODELS_KEY}"}`,
		`limit: {activities: 50}`,
	}, "\n")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		log.Fatal(err)
	}

	_, err = worker.LoadConfig([]string{
		"ERRAND_CONFIG=" + path, "ERRAND_LOG_LEVEL=loud", "TEMPORAL_CONFIG_FILE=" + filepath.Join(dir, "none.toml"),
	})
	fmt.Println(err)
	// Output:
	// worker: 4 faults in the configuration:
	//   limit: unknown key: known here are delegate, deployment, fetch, files, limits, log, mcp, models, prices, search, skills, storage, temporal
	//   models[0].api_key: ${MODELS_KEY}: the environment variable is not set: set it, or remove the reference
	//   models[0].base_url: "ftp://models.example": must be a URL such as http://127.0.0.1:8000/v1
	//   ERRAND_LOG_LEVEL: "loud": must be one of debug, info, warn, error
}
