package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"

	"errand/test/toolworker/plant"
	"errand/test/world"
	"errand/tools"
	"errand/worker"
)

// act is a tool that sends its arguments to the world and says what the world
// answers.
func act(name string, effect tools.Effect) worker.Tool {
	return worker.Tool{
		Name: name, Description: "Acts on the world.", Effect: plant.Effect(effect),
		ReadOnly: effect == tools.EffectRead, ParallelSafe: true,
		Execute: func(ctx context.Context, call tools.Invocation) (tools.Output, error) {
			if os.Getenv("DEAF") == "" {
				text, err := tellIn(ctx, sessionOf(ctx), "/"+name, plant.Key(call), call.Arguments)
				return tools.Output{Content: plant.Answer(call, text)}, err
			}
			// A tool that does not look at its context.
			text, err := tellIn(context.WithoutCancel(ctx), sessionOf(ctx), "/"+name, call.Key, call.Arguments)
			_, _ = fmt.Fprintf(os.Stderr, "%s brought back %q\n", name, text)
			return tools.Output{Content: text}, err
		},
	}
}

// tell lets the world know of something that happens, under a key.
func tell(ctx context.Context, what, key string, body []byte) (string, error) {
	return tellIn(ctx, "", "/"+what, key, body)
}

// tellIn tells of something that happens in a session.
func tellIn(ctx context.Context, session, path, key string, body []byte) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, os.Getenv("WORLD_URL")+path, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Idempotency-Key", key)
	world.In(request, session)
	request.Header.Set("Worker", strconv.Itoa(os.Getpid()))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}
