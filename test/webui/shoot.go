package webui

import (
	"context"
	"fmt"
	"path/filepath"
)

// shot is one picture: what is clicked first, and what it must show.
type shot struct {
	file   string
	view   string
	size   Size
	clicks []string
	shows  []string
}

var shots = []shot{
	{
		file: "run.png", view: "history", size: Size{Width: 1600, Height: 1540},
		clicks: []string{"Descending", "Compact"},
		shows:  []string{`round 1 · now {}`, `round 2 · read_file {"path":"calendar.md"}`},
	},
	{
		file: "details.png", view: "user-metadata", size: Size{Width: 1920, Height: 1035},
		shows: []string{"pending_action", "get_flight_times", "act_2_1"},
	},
}

// Shoot takes the pictures of a scene into dir and returns their paths.
func Shoot(ctx context.Context, browser *Browser, scene *Scene, dir string) ([]string, error) {
	var files []string
	for _, s := range shots {
		file := filepath.Join(dir, s.file)
		if err := s.take(ctx, browser, scene, file); err != nil {
			return files, fmt.Errorf("%s: %w", s.file, err)
		}
		files = append(files, file)
	}
	return files, nil
}

func (s shot) take(ctx context.Context, browser *Browser, scene *Scene, file string) error {
	url, err := scene.URL(ctx, s.view)
	if err != nil {
		return err
	}
	page, err := browser.Open(ctx, url, s.size)
	if err != nil {
		return err
	}
	for _, label := range s.clicks {
		if err := page.Click(ctx, label); err != nil {
			return err
		}
	}
	if err := page.Await(ctx, s.shows...); err != nil {
		return err
	}
	return page.Picture(ctx, file)
}
