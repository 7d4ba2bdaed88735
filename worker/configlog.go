package worker

import (
	"net/url"
	"slices"

	"go.uber.org/zap/zapcore"
)

// MarshalLogObject writes the configuration to a zap log without its secrets,
// under the keys of the configuration file.
func (c Config) MarshalLogObject(out zapcore.ObjectEncoder) error {
	out.AddString("task_queue", c.Temporal.TaskQueue)
	err := out.AddArray("models", zapcore.ArrayMarshalerFunc(func(list zapcore.ArrayEncoder) error {
		for _, e := range c.Models {
			if err := list.AppendObject(e); err != nil {
				return err
			}
		}
		return nil
	}))
	if err != nil {
		return err
	}
	if c.Deployment.Name != "" {
		out.AddString("deployment", c.Deployment.Name)
		out.AddString("build_id", c.Deployment.BuildID)
		out.AddString("versioning", c.Deployment.Behavior)
	}
	if len(c.Prices) > 0 {
		matches := make(texts, len(c.Prices))
		for i, p := range c.Prices {
			matches[i] = p.Match
		}
		if err := out.AddArray("prices", matches); err != nil {
			return err
		}
	}
	out.AddString("files_root", c.Files.Root)
	if c.Skills.Root != "" {
		out.AddString("skills_root", c.Skills.Root)
	}
	if c.Delegate.MaxDepth > 0 {
		out.AddInt("delegate_max_depth", c.Delegate.MaxDepth)
	}
	if err := out.AddArray("fetch_hosts", texts(c.Fetch.Hosts)); err != nil {
		return err
	}
	if names := c.MCP.names(); len(names) > 0 {
		if err := out.AddArray("mcp_servers", texts(names)); err != nil {
			return err
		}
	}
	if len(c.MCP.Hosts) > 0 {
		if err := out.AddArray("mcp_hosts", texts(c.MCP.Hosts)); err != nil {
			return err
		}
	}
	if c.Search.Provider != "" {
		if err := out.AddObject("search", c.Search); err != nil {
			return err
		}
	}
	logStorage(c.Storage, out)
	out.AddString("log_level", c.Log.Level)
	out.AddString("log_format", c.Log.Format)
	out.AddInt("memory_bytes", c.Limits.MemoryBytes)
	out.AddInt("activities", c.Limits.Activities)
	return nil
}

// MarshalLogObject writes the endpoint to a zap log without its secrets.
func (e Endpoint) MarshalLogObject(out zapcore.ObjectEncoder) error {
	out.AddString("match", e.Match)
	out.AddString("base_url", withoutCredentials(e.BaseURL))
	out.AddString("api", e.API)
	out.AddString("api_key", e.APIKey.String())
	if len(e.Headers) > 0 {
		if err := out.AddArray("headers", texts(e.headerNames())); err != nil {
			return err
		}
	}
	if e.Timeout > 0 {
		out.AddDuration("timeout", e.Timeout)
	}
	if e.Stream {
		out.AddBool("stream", true)
	}
	if e.IdleTimeout > 0 {
		out.AddDuration("idle_timeout", e.IdleTimeout)
	}
	return nil
}

func (e Endpoint) headerNames() []string {
	names := make([]string, 0, len(e.Headers))
	for name := range e.Headers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

type texts []string

func (t texts) MarshalLogArray(out zapcore.ArrayEncoder) error {
	for _, one := range t {
		out.AppendString(one)
	}
	return nil
}

// notURL stands for what has no host.
const notURL = "[not a URL]"

// withoutCredentials is a base URL that may be shown: without a user and a
// query, where people put keys.
func withoutCredentials(raw string) string {
	parsed, err := url.Parse(raw)
	if err != nil || parsed.Host == "" {
		return notURL
	}
	parsed.User, parsed.RawQuery, parsed.Fragment = nil, "", ""
	return parsed.String()
}
