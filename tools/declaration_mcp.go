package tools

import "encoding/json"

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
