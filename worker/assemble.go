package worker

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"errand/activities"
	"errand/activities/session"
	"errand/tools"
	"errand/tools/builtin"
	"errand/tools/delegate"
	"errand/tools/mcp"
	"errand/tools/platform"
	"errand/tools/skill"
)

// source holds the platform tools: the caller's own first, so that a fault's
// index is the place among them, then the built-in ones.
func (p *parts) source(config Config) *platform.Source {
	all := p.tools
	if p.builtins {
		all = append(all[:len(all):len(all)], builtin.Tools(builtin.Config{
			FilesRoot: config.Files.Root, FetchHosts: config.Fetch.Hosts,
		})...)
		all = append(all, p.skills(config.Skills)...)
	}
	source, err := platform.NewSource(all...)
	if err != nil {
		addEach(&p.faults, "WithTools", err)
		return nil
	}
	return source
}

// skills are the tool load_skill, if there is a folder of skills.
func (p *parts) skills(config Skills) []platform.Tool {
	if strings.TrimSpace(config.Root) == "" {
		return nil
	}
	library, err := skill.Load(config.Root)
	if err != nil {
		addEach(&p.faults, "skills.root", err)
		return nil
	}
	return []platform.Tool{library.Tool()}
}

// delegation adds the tool delegate, if somebody asked for it.
func (p *parts) delegation(config Delegate, own *platform.Source, sources map[string]activities.Source) {
	depth := config.MaxDepth
	if p.depth > 0 {
		depth = p.depth
	}
	if depth == 0 || own == nil {
		return
	}
	if _, taken := own.Describe(delegate.Name); taken {
		p.faults.Add("delegate", fmt.Sprintf("another tool has the name %q: rename that one", delegate.Name))
		return
	}
	sources[tools.SourceDelegate] = delegate.New(depth)
	p.known = append(p.known, delegate.Name)
}

// answering is the model of the worker: the caller's, or a router over the
// endpoints of the configuration.
func (p *parts) answering(config Config) Model {
	if p.model != nil {
		return p.model
	}
	if len(config.Models) == 0 {
		p.faults.Add("models", "no endpoint: use a configuration of LoadConfig, name one here, or give WithModel")
		return nil
	}
	routes, err := newRouter(config.Models)
	if err != nil { // the check of the configuration has said why
		return nil
	}
	return routes
}

// assemble builds the activities and records every fault it meets. The queue is
// that of this worker alone, if a tool needs one.
func (p *parts) assemble(config Config, temporal *engine) (built *activities.Activities, queue string) {
	if p.client != nil && len(p.adjust) > 0 {
		p.faults.Add("WithClientOptions", "has no effect beside WithClient: set the options where that client is made")
	}
	model := p.answering(config)
	own := p.source(config)
	sources := map[string]activities.Source{tools.SourcePlatform: own}
	if own != nil {
		p.known = own.Names()
	}
	p.delegation(config.Delegate, own, sources)
	search, err := config.Search.Source()
	switch {
	case err != nil: // the check of the configuration has said why
		p.faults.Add("search", err.Error())
	case search != nil:
		sources[tools.SourceWebSearch] = search
	}
	if len(p.faults) > 0 {
		return nil, ""
	}
	for name, r := range own.Resources() {
		sources[name] = r
	}
	servers := p.mcpServers(config, sources)
	if opensAny(sources) {
		queue = ownQueue(config.Temporal.TaskQueue)
	}
	built, err = activities.New(activities.Parts{
		Model: model, Hooks: p.hooks, Engine: temporal, Price: config.Price, CacheBytes: config.Limits.MemoryBytes, MaxOutput: config.Storage.OutputLimit(),
		Sources: sources, Servers: servers, Sessions: session.NewManager(queue, config.Limits.Activities, temporal),
	})
	if err != nil {
		addEach(&p.faults, "activities", err)
	}
	return built, queue
}

// mcpServers are the servers of the configuration, and those that requests may
// bring, as sources of tools.
func (p *parts) mcpServers(config Config, sources map[string]activities.Source) *mcp.Servers {
	var log mcp.Logger
	if p.logger != nil {
		log = TemporalLogger(p.logger)
	}
	p.servers = mcp.New(mcp.Options{
		Servers: config.MCP.Servers, Hosts: config.MCP.Hosts, Secrets: config.MCP.Secrets, Log: log,
	})
	for name, s := range p.servers.Sources() {
		sources[name] = s
	}
	return p.servers
}

// opensAny tells whether a source needs to be opened for a run.
func opensAny(sources map[string]activities.Source) bool {
	for _, s := range sources {
		if _, ok := s.(activities.Opener); ok {
			return true
		}
	}
	return false
}

// ownQueue names a task queue that no other worker has, and none ever will.
func ownQueue(common string) string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return fmt.Sprintf("%s/%s/%d-%s", common, host, os.Getpid(), rand.Text()[:10])
}

// keyless lists the endpoints that can only answer with a refusal. Servers of
// one's own often need no key; OpenAI's always does.
func keyless(endpoints []Endpoint) []string {
	var all []string
	for _, e := range endpoints {
		address, err := url.Parse(e.BaseURL)
		if err == nil && address.Hostname() == "api.openai.com" && e.APIKey == "" && len(e.Headers) == 0 {
			all = append(all, e.Match)
		}
	}
	return all
}

// addEach records an error of another package: every fault of a list, with its
// own path, and every part of a joined error.
func addEach(faults *tools.Faults, path string, err error) {
	var list tools.Faults
	if errors.As(err, &list) {
		*faults = append(*faults, list...)
		return
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		faults.Add(path, err.Error())
		return
	}
	for _, part := range joined.Unwrap() {
		addEach(faults, path, part)
	}
}
