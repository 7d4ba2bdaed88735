package worker

import (
	"encoding/json"
	"fmt"
	"os"

	"errand/activities"
	"errand/tools"
	"errand/tools/mcp"
	"errand/tools/mcp/mcpconfig"
)

// serversSection is what was read about MCP servers. They are made once all of
// it is known: their texts may refer to secrets.
type serversSection struct {
	file   string // of mcpServers JSON
	inline map[string]any
}

func (m MCP) names() []string {
	names := make([]string, len(m.Servers))
	for i, s := range m.Servers {
		names[i] = s.Name
	}
	return names
}

// mcp reads the section of that name.
func (l *loader) mcp(s *section) {
	c := &l.config.MCP
	s.text("config", &l.servers.file, checkRoot)
	s.texts("hosts", &c.Hosts, checkHost)
	if secrets := s.in("secrets"); len(secrets.values) > 0 {
		c.Secrets = map[string]Secret{}
		for _, name := range secrets.keys() {
			if written, ok := secrets.plain(name); ok {
				value, _ := resolve(secrets.at(name), written, l.environment, &l.faults)
				c.Secrets[name] = Secret(value)
			}
		}
	}
	if servers := s.in("servers"); len(servers.values) > 0 {
		l.servers.inline = servers.values
	}
	s.finish()
}

// readServers makes the servers of the file that was named and of the
// configuration itself.
func (l *loader) readServers() {
	c := &l.config.MCP
	secret := func(name string) (string, bool) {
		value, ok := c.Secrets[name]
		return string(value), ok
	}
	if path := l.servers.file; path != "" {
		raw, err := os.ReadFile(path) //nolint:gosec // the operator names it
		if err != nil {
			l.faults.Add("mcp.config (ERRAND_MCP_CONFIG)", err.Error())
		} else {
			c.Servers = mcpconfig.Parse(raw, l.environment.LookupEnv, secret, &l.faults)
		}
	}
	if l.servers.inline == nil {
		return
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": l.servers.inline})
	if err != nil {
		l.faults.Add("mcp.servers", "cannot be written as JSON: "+err.Error())
		return
	}
	var faults tools.Faults
	for _, s := range mcpconfig.Parse(raw, l.environment.LookupEnv, secret, &faults) {
		for _, earlier := range c.Servers {
			if earlier.Name == s.Name {
				faults.Add("mcpServers."+s.Name, fmt.Sprintf("is configured in %s too: remove one", l.servers.file))
			}
		}
		c.Servers = append(c.Servers, s)
	}
	for _, f := range faults {
		l.faults.Add("mcp.servers ("+f.Path+")", f.Message)
	}
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
