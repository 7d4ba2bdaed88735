package webui

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// lookEvery is how often a page is looked at while it draws itself.
const lookEvery = 100 * time.Millisecond

// Page is one page in a browser and ends with it.
type Page struct {
	browser *Browser
	session string
}

// Size is that of a window, in pixels.
type Size struct {
	Width, Height int
}

// Open opens a page. It may not have been drawn yet: see Await.
func (b *Browser) Open(ctx context.Context, url string, size Size) (*Page, error) {
	var target struct{ TargetID string }
	err := b.call(ctx, command{Method: "Target.createTarget", Params: map[string]any{"url": "about:blank"}}, &target)
	if err != nil {
		return nil, err
	}
	var session struct{ SessionID string }
	attach := map[string]any{"targetId": target.TargetID, "flatten": true}
	if err := b.call(ctx, command{Method: "Target.attachToTarget", Params: attach}, &session); err != nil {
		return nil, err
	}
	page := &Page{browser: b, session: session.SessionID}
	window := map[string]any{"width": size.Width, "height": size.Height, "deviceScaleFactor": 1, "mobile": false}
	if err := page.call(ctx, "Emulation.setDeviceMetricsOverride", window, nil); err != nil {
		return nil, err
	}
	var loaded struct{ ErrorText string }
	if err := page.call(ctx, "Page.navigate", map[string]any{"url": url}, &loaded); err != nil {
		return nil, err
	}
	if loaded.ErrorText != "" {
		return nil, fmt.Errorf("open %s: %s", url, loaded.ErrorText)
	}
	return page, nil
}

func (p *Page) call(ctx context.Context, method string, params map[string]any, result any) error {
	return p.browser.call(ctx, command{Method: method, Params: params, Session: p.session}, result)
}

// Await waits until the page shows all of these texts.
func (p *Page) Await(ctx context.Context, texts ...string) error {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	seen := ""
	for {
		text, err := p.Text(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("the page does not show %q: %w; it shows:\n%s", texts, context.Cause(ctx), seen)
		}
		if err != nil {
			return err
		}
		if seen = text; containsAll(text, texts) {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// Text is what the page shows at the moment, frames included: the Web UI draws
// Markdown into one. It is empty as long as nothing has been loaded.
func (p *Page) Text(ctx context.Context) (string, error) {
	return p.evaluate(ctx, `[document, ...[...document.querySelectorAll("iframe")].map(f => f.contentDocument)]`+
		`.map(d => d?.body?.innerText ?? "").join("\n")`)
}

// Click waits for the label of a button or a link and clicks it.
func (p *Page) Click(ctx context.Context, label string) error {
	if err := p.Await(ctx, label); err != nil {
		return err
	}
	quoted, err := json.Marshal(label)
	if err != nil {
		return err
	}
	clicked, err := p.evaluate(ctx, `(e => (e?.click(), e ? "yes" : "no"))([...document.querySelectorAll("button, a, [role=tab]")]`+
		`.find(e => e.innerText.trim() == `+string(quoted)+`))`)
	if err == nil && clicked != "yes" {
		return fmt.Errorf("the page has no button or link %q", label)
	}
	return err
}

// evaluate runs a JavaScript expression in the page, which gives a string.
func (p *Page) evaluate(ctx context.Context, expression string) (string, error) {
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Exception struct{ Description string } }
	}
	params := map[string]any{"expression": expression, "returnByValue": true}
	if err := p.call(ctx, "Runtime.evaluate", params, &answer); err != nil {
		return "", err
	}
	if failed := answer.ExceptionDetails; failed != nil {
		return "", fmt.Errorf("%s: %s", expression, failed.Exception.Description)
	}
	var text string
	if err := json.Unmarshal(answer.Result.Value, &text); err != nil {
		return "", fmt.Errorf("%s gives no string: %w", expression, err)
	}
	return text, nil
}

// Picture writes what the window shows as a PNG.
func (p *Page) Picture(ctx context.Context, file string) error {
	var picture struct{ Data []byte }
	if err := p.call(ctx, "Page.captureScreenshot", map[string]any{"format": "png"}, &picture); err != nil {
		return err
	}
	return os.WriteFile(file, picture.Data, 0o644)
}
