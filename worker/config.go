package worker

import (
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"errand/activities/openaimodel"
	"errand/storage"
	"errand/tools/mcp"
	"errand/tools/web"
	"errand/workflows"
)

// Config is what a worker can be told. LoadConfig reads it from the
// environment and a file; a program may also fill it in itself, starting from
// DefaultConfig. Printing or logging it shows no secret.
type Config struct {
	Temporal Temporal
	// Models are asked in this order: the first whose Match fits serves.
	Models []Endpoint
	// Prices of models in this order: the first whose Match fits counts. They
	// are for max_cost, and for the cost in results.
	Prices     []Price
	Files      Files
	Deployment Deployment
	Skills     Skills
	Delegate   Delegate
	Fetch      Fetch
	MCP        MCP
	Search     Search
	// Storage says where large payloads go. A client that is given by WithClient
	// must have been made with the same: see storage.Open.
	Storage storage.Config
	Log     Log
	Limits  Limits

	// remarks are logged when the worker starts.
	remarks []string
	// environ is what LoadConfig was given; nil is the environment of the
	// process. It is a pointer so that no way of printing shows its secrets.
	environ *environment
}

// Temporal says where runs come from. How to reach the server is not set here:
// the TEMPORAL_* variables and profiles of the temporal CLI say so.
type Temporal struct {
	TaskQueue string
}

// Files configures the built-in file tools.
type Files struct {
	// Root is the directory they cannot leave.
	Root string
}

// Skills configures the built-in tool load_skill.
type Skills struct {
	// Root is the folder of Agent Skills: each of its folders has a SKILL.md.
	// Empty: there is no such tool.
	Root string
}

// Delegate configures the platform tool delegate, by which a run starts another.
type Delegate struct {
	// MaxDepth is how many delegated runs may be below each other. 0: there is
	// no such tool.
	MaxDepth int
}

// Fetch configures the built-in tool fetch_url.
type Fetch struct {
	// Hosts may be fetched from. None: fetch_url refuses everything.
	Hosts []string
}

// MCP says which servers of the Model Context Protocol runs may use.
type MCP struct {
	// Servers are what requests may name by server_label. mcp.Parse reads them
	// from JSON.
	Servers []mcp.Server
	// Hosts may be named by requests, as server_url. None: a request cannot
	// bring a server of its own.
	Hosts []string
	// Secrets may be named by requests and by Servers, as ${secret:name}.
	Secrets map[string]Secret
}

// Log configures the worker's log, which goes to standard error.
type Log struct {
	// Level is debug, info, warn or error.
	Level string
	// Format is json, or console for people.
	Format string
}

// Limits bound what one worker takes on at a time.
type Limits struct {
	// MemoryBytes bounds the conversations kept between two rounds. A worker
	// that has forgotten one fetches it again.
	MemoryBytes int
	// Activities is how many inferences and calls run at once.
	Activities int
}

// Price is what the tokens of models cost, per million, all in one currency.
type Price struct {
	// Match is a pattern as of an Endpoint.
	Match string
	Input float64
	// CachedInput is for the input tokens that the model's server had kept. 0
	// means the same as Input.
	CachedInput float64
	Output      float64
}

// Endpoint is a server of models and which models it serves.
type Endpoint struct {
	// Match is a pattern of path.Match for the model's name, but that * also
	// spans slashes: "gpt-*", "meta-llama/*", "*".
	Match string
	// BaseURL is what stands before /responses or /chat/completions.
	BaseURL string
	APIKey  Secret
	// API is "responses" or "chat".
	API     string
	Headers map[string]Secret
	// Timeout bounds one inference; 0 means none.
	Timeout time.Duration
	// Stream takes answers as streams of events, which no proxy cuts for being
	// long and no stalled server hides behind. It is off unless asked for:
	// servers that parse calls out of a model's text lose and mix up more of
	// them in pieces than in whole answers, and one that is silent while its
	// model thinks, or cannot stream at all, would run into IdleTimeout.
	Stream bool
	// IdleTimeout is how long a streaming server may send nothing; 0 means two
	// minutes.
	IdleTimeout time.Duration
}

const defaultBaseURL = "https://api.openai.com/v1"

// DefaultConfig is the configuration of a worker that was told nothing, but
// for its Models: it has none.
func DefaultConfig() Config {
	return Config{
		Temporal: Temporal{TaskQueue: workflows.DefaultTaskQueue},
		Files:    Files{Root: ".errand/files"},
		Search:   Search{Timeout: 15 * time.Second, Hosts: []string{web.Found}},
		Log:      Log{Level: "info", Format: "json"},
		Limits:   Limits{MemoryBytes: 64 << 20, Activities: 200},
	}
}

// withDefaults fills in what a program left out.
func (c Config) withDefaults() Config {
	base := DefaultConfig()
	fill(&c.Temporal.TaskQueue, base.Temporal.TaskQueue)
	fill(&c.Files.Root, base.Files.Root)
	fill(&c.Search.Timeout, base.Search.Timeout)
	if c.Search.Hosts == nil {
		c.Search.Hosts = base.Search.Hosts
	}
	fill(&c.Log.Level, base.Log.Level)
	fill(&c.Log.Format, base.Log.Format)
	fill(&c.Limits.MemoryBytes, base.Limits.MemoryBytes)
	fill(&c.Limits.Activities, base.Limits.Activities)
	models := make([]Endpoint, len(c.Models))
	for i, e := range c.Models {
		fill(&e.BaseURL, defaultBaseURL)
		fill(&e.API, openaimodel.Responses)
		models[i] = e
	}
	c.Models = models
	prices := make([]Price, len(c.Prices))
	for i, p := range c.Prices {
		fill(&p.CachedInput, p.Input)
		prices[i] = p
	}
	c.Prices = prices
	return c
}

func fill[T comparable](target *T, fallback T) {
	var zero T
	if *target == zero {
		*target = fallback
	}
}

// String is the configuration as one line of JSON without its secrets.
func (c Config) String() string {
	encoder := zapcore.NewJSONEncoder(zapcore.EncoderConfig{
		SkipLineEnding: true, EncodeDuration: zapcore.StringDurationEncoder,
	})
	line, err := encoder.EncodeEntry(zapcore.Entry{}, []zap.Field{zap.Inline(c)})
	if err != nil { // fields of these kinds always encode
		return "worker.Config"
	}
	defer line.Free()
	return line.String()
}

// GoString keeps %#v as discreet as %v.
func (c Config) GoString() string { return c.String() }
