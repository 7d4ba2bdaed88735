// Package mcpconfig is the part of a worker's configuration that names MCP
// servers: what can be said of one, and the JSON file in which it is written.
package mcpconfig

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"errand/tools"
)

// Transports of a server.
const (
	TransportStdio = "stdio"
	// TransportHTTP is Streamable HTTP.
	TransportHTTP = "http"
	// TransportSSE is the older HTTP transport with one stream of events.
	TransportSSE = "sse"
	// TransportAny is Streamable HTTP, and SSE where the server only has that.
	TransportAny = ""
)

// Scopes of a server.
const (
	// ScopeShared servers are pooled: the runs of a worker share connections.
	ScopeShared = "shared"
	// ScopeRun servers are opened for one run alone.
	ScopeRun = "run"
)

// Protocol eras of a server.
const (
	// ProtocolAuto asks the server.
	ProtocolAuto = "auto"
	// ProtocolModern is 2026-07-28 and later: no handshake, no sessions.
	ProtocolModern = "modern"
	// ProtocolLegacy is everything before, with the initialize handshake.
	ProtocolLegacy = "legacy"
)

// What becomes of a call whose tool is no longer what the run was shown.
const (
	OnChangeWarn   = "warn"
	OnChangeRefuse = "refuse"
)

// What the model sees of images and audio.
const (
	// MediaNote names the type and the size.
	MediaNote = "note"
	// MediaData is a data URL.
	MediaData = "data_url"
)

// Server is one server as the worker's configuration has it.
type Server struct {
	// Name is what requests call it, as server_label.
	Name string

	// Command and Args start the server's process; no shell is involved. Env
	// comes on top of PATH, HOME, LANG and the like, and of InheritEnv, which
	// names variables of the worker to pass on.
	Command    string
	Args       []string
	Env        map[string]tools.Secret
	InheritEnv []string
	Cwd        string

	// URL and Headers reach a server over HTTP.
	URL     string
	Headers map[string]tools.Secret

	Transport string
	Scope     string
	// Trusted servers are believed what their annotations say about effects.
	Trusted bool
	// Approval is require_approval where a request says nothing; nil is never.
	Approval json.RawMessage
	Tools    map[string]Override
	Protocol string
	// OnToolChange is warn or refuse.
	OnToolChange string
	Media        string

	// PoolSize is how many connections a worker opens at most.
	PoolSize int
	// IdleTimeout is how long an unused connection stays open.
	IdleTimeout time.Duration
	// StartTimeout bounds starting, connecting and the handshake.
	StartTimeout time.Duration
	// MaxResponse bounds one message of the server, in bytes.
	MaxResponse int
}

// String names the server: its texts may hold secrets.
func (s Server) String() string { return s.Name }

// GoString keeps %#v as discreet as %v.
func (s Server) GoString() string { return s.Name }

// Override says about one tool what its server does not, or says wrongly. Nil
// and empty members change nothing.
type Override struct {
	Effect         tools.Effect
	Writes         *bool
	Checkpointable *bool
	ParallelSafe   *bool
	Timeout        time.Duration
}

// Apply puts the operator's word over the server's.
func (o Override) Apply(d *tools.Descriptor) {
	if o.Effect != "" {
		d.Effect = o.Effect
		if o.Effect == tools.EffectRead {
			d.Capabilities.Writes = false
		}
	}
	if o.Writes != nil {
		d.Capabilities.Writes = *o.Writes
	}
	if o.Checkpointable != nil {
		d.Capabilities.Checkpointable = *o.Checkpointable
	}
	if o.ParallelSafe != nil {
		d.ParallelSafe = *o.ParallelSafe
	}
	if o.Timeout > 0 {
		d.Timeout = o.Timeout
	}
}

const (
	defaultHTTPPool    = 4
	defaultIdle        = 5 * time.Minute
	defaultStart       = 30 * time.Second
	defaultMaxResponse = 4 << 20
)

// WithDefaults is the server with what the configuration left out filled in.
func (s Server) WithDefaults() Server {
	if s.Command != "" {
		s.Transport = TransportStdio
	}
	s.Scope = cmp.Or(s.Scope, ScopeShared)
	pool := defaultHTTPPool
	if s.Scope == ScopeRun || s.Transport == TransportStdio {
		pool = 1
	}
	s.PoolSize = cmp.Or(s.PoolSize, pool)
	s.IdleTimeout = cmp.Or(s.IdleTimeout, defaultIdle)
	s.StartTimeout = cmp.Or(s.StartTimeout, defaultStart)
	s.MaxResponse = cmp.Or(s.MaxResponse, defaultMaxResponse)
	s.Protocol = cmp.Or(s.Protocol, ProtocolAuto)
	s.OnToolChange = cmp.Or(s.OnToolChange, OnChangeWarn)
	s.Media = cmp.Or(s.Media, MediaNote)
	return s
}

// CheckURL says why a server cannot be reached at a URL; empty is nothing.
func CheckURL(value string) string {
	parsed, err := url.Parse(value)
	switch {
	case err != nil, parsed.Scheme != "http" && parsed.Scheme != "https", parsed.Hostname() == "":
		return "must be a URL such as https://mcp.example.com/mcp"
	case parsed.User != nil:
		return "must not hold a user: put credentials into headers"
	case parsed.Fragment != "":
		return "must not hold a fragment: remove it"
	}
	return ""
}

// ownHeaders are set by the protocol itself.
var ownHeaders = []string{"accept", "content-type", "content-length", "host", "connection", "transfer-encoding", "idempotency-key", "x-idempotency-key"}

// CheckHeader says why a header cannot be configured. An idempotency key makes
// Go's HTTP client repeat requests by itself.
func CheckHeader(name string) string {
	lower := strings.ToLower(name)
	switch {
	case slices.Contains(ownHeaders, lower) || strings.HasPrefix(lower, "mcp-"):
		return "is set by the protocol: remove it"
	case lower == "" || strings.ContainsAny(lower, " \t\r\n:"):
		return "is not the name of a header"
	}
	return ""
}
