// Package webui looks at runs with the eyes of a reader of Temporal's Web UI:
// it sets a scene, opens its pages in a headless Chromium, reads them and takes
// pictures. test/screenshot and the tests of the Web UI use it.
//
// The Web UI draws itself after it has loaded and keeps a request open for as
// long as a run goes on, so `chromium --screenshot` comes too early, and with a
// virtual clock never. Chromium is therefore asked, over its debugging pipe,
// until a page shows what is looked for.
package webui
