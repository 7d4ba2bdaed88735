// Package config is what a worker can be told: the environment and a file are
// read into a Config, and every fault is found before anything is dialled.
//
// A key is a field of a section with two tags: koanf is its key in the file, env
// the variable that goes before it. What a value must be like stands in the
// section's check.
package config

import (
	"time"

	"go.temporal.io/sdk/contrib/envconfig"

	"errand/activities/openaimodel"
	"errand/storage"
	"errand/tools/web"
	"errand/workflows/contract"
)

// Config is what a worker can be told. Load reads it from the environment and a
// file; a program may also fill it in itself, starting from Default. Printing or
// logging it shows no secret.
type Config struct {
	Temporal Temporal `koanf:"temporal"`
	// Models are asked in this order: the first whose Match fits serves.
	Models []Endpoint
	// Prices of models in this order: the first whose Match fits counts. They
	// are for max_cost, and for the cost in results.
	Prices     []Price    `koanf:"prices"`
	Files      Files      `koanf:"files"`
	Deployment Deployment `koanf:"deployment"`
	Skills     Skills     `koanf:"skills"`
	Delegate   Delegate   `koanf:"delegate"`
	Fetch      Fetch      `koanf:"fetch"`
	MCP        MCP
	Search     Search
	// Storage says where large payloads go. A client that is given by WithClient
	// must have been made with the same: see storage.Open.
	Storage storage.Config `koanf:"storage"`
	Log     Log            `koanf:"log"`
	Limits  Limits         `koanf:"limits"`

	// warnings are logged when the worker starts.
	warnings []string
	// environ is what Load was given; nil is the environment of the process. It
	// is a pointer so that no way of printing shows its secrets.
	environ *environment
}

// Temporal says where runs come from. How to reach the server is not set here:
// the TEMPORAL_* variables and profiles of the temporal CLI say so.
type Temporal struct {
	TaskQueue string `koanf:"task_queue" env:"ERRAND_TASK_QUEUE"`
}

// Files configures the built-in file tools.
type Files struct {
	// Root is the directory they cannot leave.
	Root string `koanf:"root" env:"ERRAND_FILES_ROOT"`
}

// Skills configures the built-in tool load_skill.
type Skills struct {
	// Root is the folder of Agent Skills: each of its folders has a SKILL.md.
	// Empty: there is no such tool.
	Root string `koanf:"root" env:"ERRAND_SKILLS_ROOT"`
}

// Delegate configures the platform tool delegate, by which a run starts another.
type Delegate struct {
	// MaxDepth is how many delegated runs may be below each other. 0: there is
	// no such tool.
	MaxDepth int `koanf:"max_depth"`
}

// Fetch configures the built-in tool fetch_url.
type Fetch struct {
	// Hosts may be fetched from. None: fetch_url refuses everything.
	Hosts []string `koanf:"hosts" env:"ERRAND_FETCH_HOSTS"`
}

// Log configures the worker's log, which goes to standard error.
type Log struct {
	// Level is debug, info, warn or error.
	Level string `koanf:"level" env:"ERRAND_LOG_LEVEL"`
	// Format is json, or console for people.
	Format string `koanf:"format" env:"ERRAND_LOG_FORMAT"`
}

// Limits bound what one worker takes on at a time.
type Limits struct {
	// MemoryBytes bounds the conversations kept between two rounds. A worker
	// that has forgotten one fetches it again.
	MemoryBytes int `koanf:"memory_bytes"`
	// Activities is how many inferences and calls run at once.
	Activities int `koanf:"activities"`
}

// Deployment makes the worker one version of a Worker Deployment: the server
// routes runs by build. The zero Deployment does not: every worker of the task
// queue takes every run.
type Deployment struct {
	// Name of the deployment, the same for all its builds.
	Name string `koanf:"name" env:"ERRAND_DEPLOYMENT"`
	// BuildID names this build: a commit or a release.
	BuildID string `koanf:"build_id" env:"ERRAND_BUILD_ID"`
	// Behavior says what becomes of a run when a newer build is made current:
	// AutoUpgrade (the default) or Pinned.
	Behavior string `koanf:"behavior" env:"ERRAND_VERSIONING"`
}

const (
	// AutoUpgrade lets a run go on with the newest build. Runs may wait for a
	// client for days, so that is the default; replay them first.
	AutoUpgrade = "auto_upgrade"
	// Pinned keeps a run on the build that began it. That build's workers must
	// stay until its last run has ended.
	Pinned = "pinned"
)

// Default is the configuration of a worker that was told nothing, but for its
// Models: it has none.
func Default() Config {
	return Config{
		Temporal: Temporal{TaskQueue: contract.DefaultTaskQueue},
		Files:    Files{Root: ".errand/files"},
		Search:   Search{Timeout: 15 * time.Second, Hosts: []string{web.Found}},
		Log:      Log{Level: "info", Format: "json"},
		Limits:   Limits{MemoryBytes: 64 << 20, Activities: 200},
	}
}

// WithDefaults fills in what a program left out.
func (c Config) WithDefaults() Config {
	base := Default()
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

// Warnings are what Load noticed and is no fault.
func (c Config) Warnings() []string { return c.warnings }

// Environment is where to look up how to connect to Temporal: in what Load was
// given, or in the process.
func (c Config) Environment() envconfig.EnvLookup {
	if c.environ == nil {
		return envconfig.EnvLookupOS
	}
	return *c.environ
}
