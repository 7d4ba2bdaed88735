package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"errand/tools"
	"errand/tools/mcp/mcpconfig"
	"errand/tools/schema"
)

// maxMedia bounds an image or a sound that is passed on, in bytes of base64.
const maxMedia = 256 << 10

// result is what a tool answered, as far as it could be read.
type result struct {
	blocks     []json.RawMessage
	structured json.RawMessage
	isError    bool
	kind       string
}

// readResult reads a result leniently: the tool has run, and what it said must
// not be lost for one odd member.
func readResult(raw json.RawMessage) (result, *Failure) {
	fields, ok := tools.Object(raw)
	if !ok {
		return result{}, &Failure{Kind: Malformed, Message: "the server's result is not an object"}
	}
	var r result
	if _, there := fields["task"]; there {
		return r, notOffered("the tool wants to run as a task, which this worker does not offer")
	}
	_ = json.Unmarshal(fields["resultType"], &r.kind)
	switch r.kind {
	case "", "complete":
	case "input_required":
		return r, notOffered("the tool asks for input from a person or a model, which this worker does not offer: give all it needs as arguments")
	default:
		return r, notOffered(fmt.Sprintf("the server answered with a result of the unknown type %q", excerpt(r.kind)))
	}
	if json.Unmarshal(fields["content"], &r.blocks) != nil && given(fields["content"]) {
		r.blocks = []json.RawMessage{fields["content"]} // not an array: one block, or text
	}
	if given(fields["structuredContent"]) {
		r.structured = fields["structuredContent"]
	}
	_ = json.Unmarshal(fields["isError"], &r.isError)
	return r, nil
}

func notOffered(message string) *Failure {
	return &Failure{Kind: RPC, Message: message}
}

// output turns a result into what the call returns. Here isError is decided on:
// an output with IsError becomes an outcome that failed, and what it says is what
// the model reads.
func (r result) output(ctx context.Context, media string, t *serverTool, schemas *schema.Cache) tools.Output {
	out := tools.Output{Content: r.text(media), IsError: r.isError}
	if r.isError && out.Content == "" {
		out.Content = "the tool failed and did not say why"
	}
	if !r.isError && t != nil && t.output != nil {
		out.Warnings = r.mismatch(ctx, t, schemas)
	}
	return out
}

// mismatch holds a good result against the tool's output schema. It only warns:
// the call has taken place.
func (r result) mismatch(ctx context.Context, t *serverTool, schemas *schema.Cache) []string {
	if r.structured == nil {
		return []string{fmt.Sprintf("%q has an output schema, and its result has no structured content", t.name)}
	}
	s, err := schemas.GetWithin(schema.NewBudget(ctx), t.output)
	if err != nil {
		return nil // it was said when the tools were listed
	}
	if issues := s.CheckWithin(schema.NewBudget(ctx), r.structured); len(issues) > 0 && ctx.Err() == nil {
		return []string{fmt.Sprintf("the result of %q does not fit its output schema: %s: %s", t.name, issues[0].Path, issues[0].Message)}
	}
	return nil
}

// text is the result as the model reads it: what the blocks say, or else the
// structured content.
func (r result) text(media string) string {
	var parts []string
	said := false
	for _, raw := range r.blocks {
		text, counts := blockText(raw, media)
		said = said || counts
		if text != "" {
			parts = append(parts, text)
		}
	}
	if !said && r.structured != nil {
		parts = append([]string{sortedJSON(r.structured)}, parts...)
	}
	return strings.Join(parts, "\n")
}

// block is one piece of content.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Data     string `json:"data"`
	MIME     string `json:"mimeType"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	Resource *struct {
		URI  string  `json:"uri"`
		MIME string  `json:"mimeType"`
		Text *string `json:"text"`
		Blob string  `json:"blob"`
	} `json:"resource"`
}

// blockText is the text of one block, and whether it says something by itself:
// a note about what was left out does not.
func blockText(raw json.RawMessage, media string) (text string, counts bool) {
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		return plain, plain != ""
	}
	var b block
	if json.Unmarshal(raw, &b) != nil {
		return sortedJSON(raw), true
	}
	switch b.Type {
	case "text":
		return b.Text, b.Text != ""
	case "image", "audio":
		return mediaText(b.Type, b.MIME, b.Data, media)
	case "resource_link":
		return fmt.Sprintf("[resource %s: %s%s]", nameOf(b.Name, b.URI), b.URI, inBrackets(b.MIME)), true
	case "resource":
		switch {
		case b.Resource == nil:
		case b.Resource.Text != nil:
			return *b.Resource.Text, *b.Resource.Text != ""
		default:
			return fmt.Sprintf("[resource %s%s: %d bytes that are not text, not shown]",
				b.Resource.URI, inBrackets(b.Resource.MIME), decodedLen(b.Resource.Blob)), true
		}
	}
	return sortedJSON(raw), true
}

func mediaText(kind, mime, data, media string) (string, bool) {
	if media == mcpconfig.MediaData && len(data) <= maxMedia {
		return "data:" + mime + ";base64," + data, true
	}
	return fmt.Sprintf("[%s %s: %d bytes, not shown]", kind, mime, decodedLen(data)), false
}

func nameOf(name, uri string) string {
	if name != "" {
		return name
	}
	return uri
}

func inBrackets(mime string) string {
	if mime == "" {
		return ""
	}
	return " (" + mime + ")"
}

func decodedLen(base64 string) int {
	return len(strings.TrimRight(base64, "=")) * 3 / 4
}

// sortedJSON is JSON text with the keys of its objects in order and its numbers
// as they were written.
func sortedJSON(raw json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(raw)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return string(raw)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
