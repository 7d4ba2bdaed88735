package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"errand/tools"
	"errand/tools/hosts"
	"errand/tools/platform"
)

// fetchURLTool reads a page of the hosts that the configuration lists.
func fetchURLTool(allowed hosts.List, client *http.Client) platform.Tool {
	type arguments struct {
		URL string `json:"url"`
	}
	reader := hosts.NewReader(allowed, client)
	return platform.Tool{
		Name:        "fetch_url",
		Description: "Reads a text document from the web by HTTP GET and returns its body.",
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["url"],"properties":{
			"url":{"type":"string","minLength":1,"description":"http or https address"}}}`),
		Effect: tools.EffectRead, ReadOnly: true, ParallelSafe: true,
		Execute: platform.Func(func(ctx context.Context, in arguments) (any, error) {
			page, err := reader.Read(ctx, in.URL, nil)
			if err != nil {
				return nil, err
			}
			return render(page)
		}),
	}
}

// render makes the text for the model of a document.
func render(page hosts.Document) (string, error) {
	text, err := "", errNoText
	if media, _, _ := mime.ParseMediaType(page.Kind); isText(media) {
		text, err = asText(page.Body, "text/plain")
	}
	if page.Code >= http.StatusBadRequest {
		return "", fmt.Errorf("url: %s answered %s%s", page.URL, page.Status, firstOf(tools.Clean(text)))
	}
	if err != nil {
		kind, _ := tools.Cut(page.Kind, 100)
		return fmt.Sprintf("[%s is %s, not text; its content is not shown]", page.URL, kind), nil
	}
	text = tools.Clean(text)
	if page.Cut {
		text += fmt.Sprintf("\n[only the first %d bytes of %s]", hosts.MaxBody, page.URL)
	}
	return text, nil
}

func isText(media string) bool {
	if strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") {
		return true
	}
	switch media {
	case "application/json", "application/xml", "application/javascript", "application/x-ndjson",
		"application/yaml", "application/x-yaml", "application/toml", "application/x-www-form-urlencoded":
		return true
	}
	return false
}

// firstOf is the beginning of an error page, to go after a status.
func firstOf(text string) string {
	const most = 500
	switch text = strings.TrimSpace(text); {
	case text == "":
		return ""
	case len(text) > most:
		text = wholeRunes(text[:most]) + "…"
	}
	return ": " + text
}
