package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"errand/tools"
	"errand/tools/platform"
	"errand/worker"
)

// boxes are tools that share a resource. The world is told of every opening and
// closing, under a key that names the opening.
func boxes() []worker.Tool {
	resource := &worker.Resource{Name: "box", Open: func(ctx context.Context, o tools.SessionSpec) (worker.Session, error) {
		b := &box{key: fmt.Sprintf("%s/%d/%d", o.RunID, o.Epoch, os.Getpid())}
		_, err := tell(ctx, "open", b.key, nil)
		return b, err
	}}
	var all []worker.Tool
	for name, effect := range map[string]tools.Effect{"work": tools.EffectIdempotent, "workonce": tools.EffectOnce} {
		t := act(name, effect)
		t.Resource = resource
		plain := t.Execute
		t.Execute = func(ctx context.Context, call tools.Invocation) (tools.Output, error) {
			if _, open := platform.Opened[*box](ctx); !open {
				return tools.Output{}, errors.New("no box is open")
			}
			return plain(ctx, call)
		}
		all = append(all, t)
	}
	return all
}

type box struct{ key string }

func (b *box) Close(ctx context.Context) error {
	_, err := tell(ctx, "close", b.key, nil)
	return err
}

// settling is a once tool that can say what became of a lost call. With
// HANG_AFTER its first attempt never returns once it is done.
func settling() worker.Tool {
	t := act("settle", tools.EffectOnce)
	plain := t.Execute
	t.Execute = func(ctx context.Context, call tools.Invocation) (tools.Output, error) {
		out, err := plain(ctx, call)
		if os.Getenv("HANG_AFTER") != "" {
			<-ctx.Done()
			return tools.Output{}, ctx.Err()
		}
		return out, err
	}
	t.Reconcile = func(ctx context.Context, call tools.Invocation) (tools.Finding, error) {
		text, err := tell(ctx, "reconcile", call.Key, nil)
		if err != nil {
			return tools.Finding{}, err
		}
		if answer, done := strings.CutPrefix(text, "done: "); done {
			return tools.Finding{Found: tools.FoundDone, Output: tools.Output{Content: answer}}, nil
		}
		return tools.Finding{Found: tools.FoundNotDone}, nil
	}
	return t
}
