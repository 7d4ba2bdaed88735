package main

import (
	"context"
	"fmt"

	"errand/test/toolworker/plant"
	"errand/test/world"
	"errand/tools"
	"errand/tools/platform"
	"errand/worker"
)

// room is the resource that the tools of inRoom share. The world knows when one
// is opened and closed.
var room = &worker.Resource{Name: "room", Open: openRoom}

type openedRoom struct{ id string }

func openRoom(ctx context.Context, o tools.SessionSpec) (worker.Session, error) {
	id, err := tellIn(ctx, "", world.OpenPath, fmt.Sprintf("%s/%s/%d", o.RunID, o.Source, o.Epoch), nil)
	if err != nil {
		return nil, err
	}
	return &openedRoom{id}, nil
}

// Close tells the world.
func (r *openedRoom) Close(ctx context.Context) error {
	if plant.SkipsRelease() {
		return nil
	}
	_, err := tellIn(ctx, "", world.ClosePath, r.id, nil)
	return err
}

// inRoom is a tool that acts in the room of its run.
func inRoom(name string, effect tools.Effect) worker.Tool {
	t := act(name, effect)
	t.Resource = room
	return t
}

// sessionOf is the id of the room that a call happens in, if it has one.
func sessionOf(ctx context.Context) string {
	if mine, ok := platform.Opened[*openedRoom](ctx); ok {
		return mine.id
	}
	return ""
}
