package config

import (
	"encoding/json"
	"fmt"
	"os"

	"errand/tools"
	"errand/tools/mcp/mcpconfig"
)

// MCP says which servers of the Model Context Protocol runs may use.
type MCP struct {
	// Servers are what requests may name by server_label. mcpconfig.Parse reads them
	// from JSON.
	Servers []mcpconfig.Server
	// Hosts may be named by requests, as server_url. None: a request cannot
	// bring a server of its own.
	Hosts []string `koanf:"hosts" env:"ERRAND_MCP_HOSTS"`
	// Secrets may be named by requests and by Servers, as ${secret:name}.
	Secrets map[string]Secret `koanf:"secrets"`
}

// Names are those of the servers.
func (m MCP) Names() []string {
	names := make([]string, len(m.Servers))
	for i, s := range m.Servers {
		names[i] = s.Name
	}
	return names
}

// mcpSettings say where the servers are described: in a file of mcpServers JSON,
// and in the same form in place.
type mcpSettings struct {
	MCP     `koanf:",squash"`
	Config  string         `koanf:"config" env:"ERRAND_MCP_CONFIG"`
	Servers map[string]any `koanf:"servers"`
}

// readServers makes the servers. It comes last: their texts may refer to secrets.
func (m *mcpSettings) readServers(environment environment, all *tools.Faults) {
	secret := func(name string) (string, bool) {
		value, ok := m.Secrets[name]
		return string(value), ok
	}
	if m.Config != "" {
		raw, err := os.ReadFile(m.Config)
		if err != nil {
			all.Add("mcp.config (ERRAND_MCP_CONFIG)", err.Error())
		} else {
			m.MCP.Servers = mcpconfig.Parse(raw, environment.LookupEnv, secret, all)
		}
	}
	if len(m.Servers) == 0 {
		return
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": m.Servers})
	if err != nil {
		all.Add("mcp.servers", "cannot be written as JSON: "+err.Error())
		return
	}
	var faults tools.Faults
	for _, s := range mcpconfig.Parse(raw, environment.LookupEnv, secret, &faults) {
		for _, earlier := range m.MCP.Servers {
			if earlier.Name == s.Name {
				faults.Add("mcpServers."+s.Name, fmt.Sprintf("is configured in %s too: remove one", m.Config))
			}
		}
		m.MCP.Servers = append(m.MCP.Servers, s)
	}
	for _, f := range faults {
		all.Add("mcp.servers ("+f.Path+")", f.Message)
	}
}
