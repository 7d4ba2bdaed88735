package tools

import (
	"encoding/json"
	"fmt"
	"net/url"
)

// ServerDeclaration is what an mcp declaration says about its server. The
// worker resolves it; credentials in it are never shown again.
type ServerDeclaration struct {
	Label        string          `json:"server_label"`
	URL          string          `json:"server_url,omitempty"`
	AllowedTools json.RawMessage `json:"allowed_tools,omitempty"`
	Approval     json.RawMessage `json:"require_approval,omitempty"`
	// Authorization and Headers may name secrets of the worker: ${secret:name}.
	Authorization string            `json:"authorization,omitempty"`
	Headers       map[string]string `json:"headers,omitempty"`
}

// masked stands where a credential was.
const masked = "[masked]"

// MaskSecrets takes the credentials out of tools[] as the caller wrote it, so
// that it can be shown again. What is not an array is not shown at all.
func MaskSecrets(raw json.RawMessage) json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for i, one := range list {
		list[i] = maskDeclaration(one)
	}
	out, err := json.Marshal(list)
	if err != nil { // it was decoded from JSON
		return nil
	}
	return out
}

func maskDeclaration(raw json.RawMessage) json.RawMessage {
	fields, ok := Object(raw)
	if !ok {
		return raw
	}
	changed := false
	if headers, ok := Object(fields["headers"]); ok {
		hidden := map[string]string{}
		for name := range headers {
			hidden[name] = masked
		}
		changed = put(fields, "headers", hidden)
	} else if _, given := fields["headers"]; given {
		changed = put(fields, "headers", masked)
	}
	if secret := fields["authorization"]; secret != nil && string(secret) != "null" {
		changed = put(fields, "authorization", masked) || changed
	}
	var address string
	if json.Unmarshal(fields["server_url"], &address) == nil {
		if u, err := url.Parse(address); err == nil && u.User != nil {
			u.User = url.User(masked)
			changed = put(fields, "server_url", u.String()) || changed
		}
	}
	if !changed {
		return raw
	}
	out, err := json.Marshal(fields)
	if err != nil { // it was decoded from JSON
		return nil
	}
	return out
}

func put(fields map[string]json.RawMessage, name string, value any) bool {
	raw, err := json.Marshal(value)
	if err == nil {
		fields[name] = raw
	}
	return err == nil
}

// parseServer reads an mcp declaration. Its tools are known after discovery.
func (d *Declaration) parseServer(fields map[string]json.RawMessage, faults *Faults) {
	var s ServerDeclaration
	Field(fields, d.Path, "server_label", &s.Label, "a string", faults)
	Field(fields, d.Path, "server_url", &s.URL, "a string", faults)
	Field(fields, d.Path, "authorization", &s.Authorization, "a string", faults)
	Field(fields, d.Path, "headers", &s.Headers, "an object of strings", faults)
	if s.Label == "" && !faults.At(d.Path+".server_label") {
		faults.Add(d.Path+".server_label", "required: a name for the server")
	}
	if raw, given := fields["allowed_tools"]; given && string(raw) != "null" {
		s.AllowedTools = raw
		checkToolFilter(d.Path+".allowed_tools", raw, faults)
	}
	if raw, given := fields["require_approval"]; given && string(raw) != "null" {
		s.Approval = raw
		CheckApprovalPolicy(d.Path+".require_approval", raw, faults)
	}
	d.Server = &s
}

// checkToolFilter takes a list of names, or an object with tool_names.
func checkToolFilter(path string, raw json.RawMessage, faults *Faults) {
	var names []string
	if json.Unmarshal(raw, &names) == nil {
		return
	}
	fields, ok := Object(raw)
	if !ok {
		faults.Add(path, "must be an array of names, or an object with tool_names")
		return
	}
	var readOnly bool
	Field(fields, path, "tool_names", &names, "an array of names", faults)
	Field(fields, path, "read_only", &readOnly, "true or false", faults)
}

// CheckApprovalPolicy refuses what require_approval cannot be.
func CheckApprovalPolicy(path string, raw json.RawMessage, faults *Faults) {
	var word string
	if json.Unmarshal(raw, &word) == nil {
		if word != "always" && word != "never" {
			faults.Add(path, `must be "always", "never" or an object with always and never`)
		}
		return
	}
	fields, ok := Object(raw)
	if !ok {
		faults.Add(path, `must be "always", "never" or an object with always and never`)
		return
	}
	for _, name := range []string{"always", "never"} {
		if filter, given := fields[name]; given && string(filter) != "null" {
			checkToolFilter(path+"."+name, filter, faults)
		}
	}
}

func checkFileSearch(path string, fields map[string]json.RawMessage, faults *Faults) {
	var stores []string
	Field(fields, path, "vector_store_ids", &stores, "an array of ids", faults)
	if len(stores) == 0 && !faults.At(path+".vector_store_ids") {
		faults.Add(path+".vector_store_ids", "required: an array of ids")
	}
}

func checkCodeInterpreter(path string, fields map[string]json.RawMessage, faults *Faults) {
	raw, given := fields["container"]
	var id string
	if _, ok := Object(raw); !given || (!ok && json.Unmarshal(raw, &id) != nil) {
		faults.Add(path+".container", fmt.Sprintf("required: an id, or %s", `{"type":"auto"}`))
	}
}
