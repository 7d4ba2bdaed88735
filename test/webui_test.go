package test

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/cmd/errand/devserver"
	"errand/test/harness"
	"errand/test/webui"
)

// TestWebUITellsWhatARunDoes looks at a run that waits for its client as a
// reader of the Web UI does, who knows nothing of activities.
func TestWebUITellsWhatARunDoes(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	browser, err := webui.Start(ctx)
	require.NoError(t, err, "the tests of the Web UI need a browser: make chromium")
	t.Cleanup(browser.Close)
	scene, err := webui.SetScene(ctx, harness.StartTemporal(t, devserver.Options{}))
	require.NoError(t, err)
	t.Cleanup(scene.Close)

	url, err := scene.URL(ctx, "history")
	require.NoError(t, err)
	page, err := browser.Open(ctx, url, webui.Size{Width: 1600, Height: 1400})
	require.NoError(t, err)
	require.NoError(t, page.Await(ctx,
		`round 1 · infer gpt-5-mini`, `round 1 · now {}`, `round 1 · list_files {}`,
		`round 2 · read_file {"path":"calendar.md"}`, `round 2 · read_file {"path":"travel-policy.md"}`))
	text, err := page.Text(ctx)
	require.NoError(t, err)
	require.Contains(t, text, scene.RunID)
	require.Regexp(t, `Workflow Type\s+Run\s`, text)

	dir := t.TempDir()
	files, err := webui.Shoot(ctx, browser, scene, dir)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(dir, "run.png"), filepath.Join(dir, "details.png")}, files)
	for _, file := range files {
		requirePicture(t, file)
	}
}

// requirePicture wants more than a blank page, and less than what a document
// should carry.
func requirePicture(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Greater(t, len(data), 10<<10, file)
	require.Less(t, len(data), 400<<10, file)
	_, err = png.DecodeConfig(bytes.NewReader(data))
	require.NoError(t, err, file)
}

// TestWebUIWithoutBrowserSaysHowToGetOne keeps the message useful. It changes
// the environment, so it runs alone.
func TestWebUIWithoutBrowserSaysHowToGetOne(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := webui.Start(t.Context())
	require.ErrorIs(t, err, webui.ErrNoBrowser)
	require.ErrorContains(t, err, "make chromium")
}
