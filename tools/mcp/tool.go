package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"errand/tools"
	"errand/tools/schema"
)

// serverTool is one tool as its server describes it.
type serverTool struct {
	name        string
	title       string
	description string
	input       json.RawMessage
	output      json.RawMessage
	annotations json.RawMessage
	hints       hints
	digest      string
	// warnings are about its schemas.
	warnings []string
	// unchecked says that its input schema does not compile.
	unchecked bool
}

// hints are annotations. Nil is what the server does not say.
type hints struct {
	ReadOnly    *bool `json:"readOnlyHint"`
	Destructive *bool `json:"destructiveHint"`
	Idempotent  *bool `json:"idempotentHint"`
}

func (h hints) readOnly() bool {
	contradicts := h.Destructive != nil && *h.Destructive
	return h.ReadOnly != nil && *h.ReadOnly && !contradicts
}

func (h hints) idempotent() bool { return h.Idempotent != nil && *h.Idempotent }

const (
	// maxToolName bounds the name of a tool; the protocol says 128.
	maxToolName = 256
	// maxDescription bounds a description, in bytes.
	maxDescription = 16 << 10
	// maxSchema bounds a schema, in bytes.
	maxSchema = 256 << 10
)

func readTool(raw json.RawMessage) (t serverTool, complaint string) {
	fields, ok := tools.Object(raw)
	if !ok {
		return t, "is not an object"
	}
	if json.Unmarshal(fields["name"], &t.name) != nil || strings.TrimSpace(t.name) == "" {
		return t, "has no name"
	}
	if len(t.name) > maxToolName {
		return t, fmt.Sprintf("has a name of %d bytes", len(t.name))
	}
	_ = json.Unmarshal(fields["title"], &t.title) // what is not text is as good as absent
	_ = json.Unmarshal(fields["description"], &t.description)
	t.description, _ = tools.Cut(t.description, maxDescription)
	if hints, ok := tools.Object(fields["annotations"]); ok {
		t.annotations = fields["annotations"]
		readHint(hints, "readOnlyHint", &t.hints.ReadOnly)
		readHint(hints, "destructiveHint", &t.hints.Destructive)
		readHint(hints, "idempotentHint", &t.hints.Idempotent)
		if t.title == "" {
			_ = json.Unmarshal(hints["title"], &t.title)
		}
	}
	if t.input, ok = inputSchema(fields["inputSchema"]); !ok {
		return t, "has an inputSchema that is not an object"
	}
	if given(fields["outputSchema"]) {
		if _, ok := tools.Object(fields["outputSchema"]); ok {
			t.output = fields["outputSchema"]
		} else {
			t.warnings = append(t.warnings, fmt.Sprintf("the output schema of %q is not an object and is not used", t.name))
		}
	}
	if len(t.input) > maxSchema || len(t.output) > maxSchema {
		return t, fmt.Sprintf("has a schema of more than %d bytes", maxSchema)
	}
	t.digest = digestOf(t)
	return t, ""
}

func readHint(fields map[string]json.RawMessage, name string, target **bool) {
	var value bool
	if raw, there := fields[name]; there && json.Unmarshal(raw, &value) == nil && string(raw) != "null" {
		*target = &value
	}
}

// inputSchema mends what servers in the field get wrong about the root of a
// schema: no type, no properties, required that is no list.
func inputSchema(raw json.RawMessage) (json.RawMessage, bool) {
	if !given(raw) {
		return json.RawMessage(`{"type":"object","properties":{}}`), true
	}
	fields, ok := tools.Object(raw)
	if !ok {
		return nil, false
	}
	changed := false
	set := func(key, value string) {
		fields[key] = json.RawMessage(value)
		changed = true
	}
	if kind := string(fields["type"]); kind == "" || kind == "null" || kind == `""` {
		set("type", `"object"`)
	}
	if properties := fields["properties"]; string(properties) == "null" || string(properties) == "[]" || properties == nil {
		set("properties", `{}`)
	}
	if required, there := fields["required"]; there {
		var names []string
		if json.Unmarshal(required, &names) != nil || names == nil {
			delete(fields, "required")
			changed = true
		}
	}
	if description, there := fields["description"]; there && string(description) == "null" {
		delete(fields, "description")
		changed = true
	}
	if !changed {
		return raw, true
	}
	mended, err := json.Marshal(fields)
	return mended, err == nil
}

// digestOf is that of everything a tool was approved and pinned by.
func digestOf(t serverTool) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(t.name), []byte(t.description), canonical(t.input), canonical(t.output), canonical(t.annotations)} {
		h.Write(fmt.Appendf(nil, "%d:%s", len(part), part))
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// canonical orders keys: servers may write them differently each time.
func canonical(raw json.RawMessage) []byte {
	if raw == nil {
		return nil
	}
	var value any
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return raw
	}
	text, err := json.Marshal(value)
	if err != nil {
		return raw
	}
	return text
}

func (t *serverTool) checkSchemas(schemas *schema.Cache, work *schema.Budget) {
	if _, err := schemas.GetWithin(work, t.input); err != nil {
		t.unchecked = true
		t.warnings = append(t.warnings, fmt.Sprintf("the arguments of %q are not checked: its schema does not compile: %s", t.name, excerpt(err.Error())))
	}
	if t.output == nil {
		return
	}
	if _, err := schemas.GetWithin(work, t.output); err != nil {
		t.output = nil
		t.warnings = append(t.warnings, fmt.Sprintf("the results of %q are not checked: its output schema does not compile: %s", t.name, excerpt(err.Error())))
	}
}

// descriptor says what a tool is to a run. Hints count for servers that the
// worker trusts; everything else writes, and must not run twice.
func (t *serverTool) descriptor(to target, source string) tools.Descriptor {
	d := tools.Descriptor{
		ModelName: t.name, Name: t.name, Namespace: to.Name, Type: tools.TypeMCP, Owner: tools.OwnedByGateway,
		Description: t.description, Parameters: t.input, OutputSchema: t.output,
		Capabilities: tools.Capabilities{Writes: true}, ParallelSafe: true,
		GatewayTool: tools.GatewayTool{
			Source: source, Scope: tools.Scope(to.Scope), Effect: tools.EffectOnce,
			Remote: &tools.Remote{Server: to.Name, Tool: t.name, Digest: t.digest},
		},
	}
	if d.Description == "" {
		d.Description = t.title
	}
	if to.Trusted {
		switch {
		case t.hints.readOnly():
			d.Effect, d.Capabilities.Writes = tools.EffectRead, false
		case t.hints.idempotent():
			d.Effect = tools.EffectIdempotent
		}
	}
	to.Tools[t.name].Apply(&d)
	d.Approval = needsApproval(to.Approval, t.name, !d.Capabilities.Writes)
	return d
}
