package tools

import "encoding/json"

// Remote says which tool of a server a descriptor stands for.
type Remote struct {
	// Server is the server's label, Tool the tool's own name there: that is what
	// is called, whatever the model was shown.
	Server string `json:"server_label"`
	Tool   string `json:"tool"`
	// Digest is that of the tool as the run was shown it.
	Digest string `json:"digest,omitempty"`
}

// Listing is what became of a declared server at discovery.
type Listing struct {
	// Tools are in the server's order.
	Tools []Listed `json:"tools,omitempty"`
	// Failure says why there are none: the server is down.
	Failure string `json:"failure,omitempty"`
	// Faults are of the request: the run cannot go on with them.
	Faults   Faults   `json:"faults,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Protocol is the version spoken.
	Protocol string `json:"protocol,omitempty"`
}

// Listed is one tool of a server.
type Listed struct {
	Descriptor Descriptor `json:"descriptor"`
	// Annotations are the server's own, for the public item.
	Annotations json.RawMessage `json:"annotations,omitempty"`
}
