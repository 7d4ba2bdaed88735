package mcp

import (
	"encoding/json"
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
	// transportAny is Streamable HTTP, and SSE where the server only has that.
	transportAny = ""
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

const (
	defaultHTTPPool    = 4
	defaultIdle        = 5 * time.Minute
	defaultStart       = 30 * time.Second
	defaultMaxResponse = 4 << 20
)

// withDefaults fills in what the configuration left out.
func (s Server) withDefaults() Server {
	if s.Command != "" {
		s.Transport = TransportStdio
	}
	fill(&s.Scope, ScopeShared)
	if s.Scope == ScopeRun || s.Transport == TransportStdio {
		fill(&s.PoolSize, 1)
	}
	fill(&s.PoolSize, defaultHTTPPool)
	fill(&s.IdleTimeout, defaultIdle)
	fill(&s.StartTimeout, defaultStart)
	fill(&s.MaxResponse, defaultMaxResponse)
	fill(&s.Protocol, ProtocolAuto)
	fill(&s.OnToolChange, OnChangeWarn)
	fill(&s.Media, MediaNote)
	return s
}

func fill[T comparable](target *T, fallback T) {
	var zero T
	if *target == zero {
		*target = fallback
	}
}
