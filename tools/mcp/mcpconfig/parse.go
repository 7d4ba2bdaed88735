package mcpconfig

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"errand/tools"
)

// foreign are keys that other programs write beside ours. They are taken and
// have no effect here.
var foreign = []string{"disabled", "timeout", "autoApprove", "alwaysAllow", "description", "name", "icon", "version"}

var ownKeys = []string{
	"command", "args", "env", "inherit_env", "cwd", "url", "headers", "type", "transport", "scope", "trusted",
	"require_approval", "tools", "protocol", "on_tool_change", "media", "pool_size", "idle_timeout",
	"start_timeout", "max_response_bytes",
}

// Parse reads a configuration of servers: {"mcpServers":{name:{…}}}. Texts may
// refer to the environment (${NAME}) and to secrets (${secret:name}). Every
// fault is recorded under its path; one with faults is left out. A server with
// "disabled": true is left out too.
func Parse(raw []byte, environment, secrets Lookup, faults *tools.Faults) []Server {
	top, ok := tools.Object(raw)
	if !ok {
		faults.Add("mcpServers", `must be JSON such as {"mcpServers":{"files":{"command":"mcp-files"}}}`)
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(top)) {
		if key != "mcpServers" {
			faults.Add(key, "unknown key: only mcpServers is known here")
		}
	}
	servers, ok := tools.Object(top["mcpServers"])
	if !ok {
		faults.Add("mcpServers", "required: an object of servers by name")
		return nil
	}
	var all []Server
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		p := parser{path: "mcpServers." + name, faults: faults, resolver: resolver{environment, secrets, faults}}
		if s, ok := p.server(name, servers[name]); ok {
			all = append(all, s)
		}
	}
	return all
}

// parser reads one server.
type parser struct {
	path     string
	fields   map[string]json.RawMessage
	faults   *tools.Faults
	resolver resolver
}

func (p *parser) server(name string, raw json.RawMessage) (Server, bool) {
	before := len(*p.faults)
	fields, ok := tools.Object(raw)
	if !ok {
		p.fault("", "must be an object with a command or a url")
		return Server{}, false
	}
	p.fields = fields
	var disabled bool
	p.field("disabled", &disabled, "true or false")
	if disabled {
		return Server{}, false
	}
	s := Server{Name: name}
	if strings.TrimSpace(name) == "" {
		p.fault("", "the name must not be empty")
	}
	p.unknownKeys()
	p.start(&s)
	p.reach(&s)
	p.transport(&s)
	p.rules(&s)
	p.limits(&s)
	p.overrides(&s)
	return s.WithDefaults(), len(*p.faults) == before
}

func (p *parser) at(key string) string {
	if key == "" {
		return p.path
	}
	return p.path + "." + key
}

func (p *parser) fault(key, message string) { p.faults.Add(p.at(key), message) }

func (p *parser) field(key string, target any, want string) {
	tools.Field(p.fields, p.path, key, target, want, p.faults)
}

func (p *parser) text(key string, target *string) {
	p.field(key, target, "a string")
	*target = p.resolver.resolve(p.at(key), *target)
}

func (p *parser) unknownKeys() {
	for _, key := range slices.Sorted(maps.Keys(p.fields)) {
		if !slices.Contains(ownKeys, key) && !slices.Contains(foreign, key) {
			p.fault(key, "unknown key: known here are "+strings.Join(ownKeys, ", "))
		}
	}
}

// start reads what starts a process.
func (p *parser) start(s *Server) {
	p.text("command", &s.Command)
	p.field("args", &s.Args, "an array of strings")
	for i, one := range s.Args {
		s.Args[i] = p.resolver.resolve(fmt.Sprintf("%s[%d]", p.at("args"), i), one)
	}
	s.Env = p.secrets("env")
	p.field("inherit_env", &s.InheritEnv, "an array of names")
	p.text("cwd", &s.Cwd)
}

// reach reads what leads to a server over HTTP.
func (p *parser) reach(s *Server) {
	p.text("url", &s.URL)
	s.Headers = p.secrets("headers")
	if s.URL != "" {
		if complaint := CheckURL(s.URL); complaint != "" {
			p.fault("url", complaint) // what it resolves to stays out: it may hold a key
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Headers)) {
		if reason := CheckHeader(name); reason != "" {
			p.fault("headers."+name, reason)
		}
	}
}

func (p *parser) secrets(key string) map[string]tools.Secret {
	var plain map[string]string
	p.field(key, &plain, "an object of strings")
	if len(plain) == 0 {
		return nil
	}
	all := make(map[string]tools.Secret, len(plain))
	for _, name := range slices.Sorted(maps.Keys(plain)) {
		value := plain[name]
		all[name] = tools.Secret(p.resolver.resolve(p.at(key)+"."+name, value))
	}
	return all
}

func (p *parser) transport(s *Server) {
	var kind string
	p.field("transport", &kind, "a string")
	p.field("type", &kind, "a string")
	switch {
	case p.fields["command"] != nil && p.fields["url"] != nil:
		p.fault("", "has both a command and a url: keep one")
	case p.fields["command"] == nil && p.fields["url"] == nil:
		p.fault("", "needs a command, or a url")
	case p.fields["command"] != nil && s.Command == "" && !p.faults.At(p.at("command")):
		p.fault("command", "must not be empty")
	}
	switch kind {
	case "":
	case "stdio":
		if s.URL != "" {
			p.fault("type", `"stdio" needs a command, not a url`)
		}
	case "http", "streamable-http", "streamableHttp", "streamable_http":
		s.Transport = TransportHTTP
	case "sse":
		s.Transport = TransportSSE
	default:
		p.fault("type", fmt.Sprintf("%q is not known: stdio, http or sse", kind))
	}
	if s.Command != "" && s.Transport != "" {
		p.fault("type", fmt.Sprintf("%q needs a url, not a command", kind))
	}
	if s.Command != "" {
		s.Scope = ScopeRun // a process is one run's unless it says otherwise
	}
}

func (p *parser) rules(s *Server) {
	p.choice("scope", &s.Scope, ScopeShared, ScopeRun)
	p.field("trusted", &s.Trusted, "true or false")
	p.choice("protocol", &s.Protocol, ProtocolAuto, ProtocolModern, ProtocolLegacy)
	p.choice("on_tool_change", &s.OnToolChange, OnChangeWarn, OnChangeRefuse)
	p.choice("media", &s.Media, MediaNote, MediaData)
	if raw, given := p.fields["require_approval"]; given && string(raw) != "null" {
		s.Approval = raw
		tools.CheckApprovalPolicy(p.at("require_approval"), raw, p.faults)
	}
}

func (p *parser) choice(key string, target *string, allowed ...string) {
	value := ""
	p.field(key, &value, "one of "+strings.Join(allowed, ", "))
	if value == "" {
		return
	}
	if !slices.Contains(allowed, value) {
		p.fault(key, fmt.Sprintf("%q: must be one of %s", value, strings.Join(allowed, ", ")))
		return
	}
	*target = value
}

func (p *parser) limits(s *Server) {
	p.count("pool_size", &s.PoolSize, 1, 64)
	p.count("max_response_bytes", &s.MaxResponse, 1<<10, 64<<20)
	p.duration("idle_timeout", &s.IdleTimeout)
	p.duration("start_timeout", &s.StartTimeout)
}

func (p *parser) count(key string, target *int, low, high int) {
	var n *int
	p.field(key, &n, "a whole number")
	if n == nil {
		return
	}
	if *n < low || *n > high {
		p.fault(key, fmt.Sprintf("%d: must be from %d to %d", *n, low, high))
		return
	}
	*target = *n
}

func (p *parser) duration(key string, target *time.Duration) {
	tools.DurationField(p.fields, p.path, key, target, p.faults)
}

// overrides reads what the configuration says about single tools.
func (p *parser) overrides(s *Server) {
	var list map[string]json.RawMessage
	p.field("tools", &list, "an object of tools by name")
	for _, name := range slices.Sorted(maps.Keys(list)) {
		raw := list[name]
		one := parser{path: p.at("tools") + "." + name, faults: p.faults}
		fields, ok := tools.Object(raw)
		if !ok {
			one.fault("", "must be an object")
			continue
		}
		one.fields = fields
		var o Override
		var effect string
		one.choice("effect", &effect, string(tools.EffectRead), string(tools.EffectIdempotent), string(tools.EffectOnce))
		o.Effect = tools.Effect(effect)
		one.field("writes", &o.Writes, "true or false")
		one.field("checkpointable", &o.Checkpointable, "true or false")
		one.field("parallel_safe", &o.ParallelSafe, "true or false")
		one.duration("timeout", &o.Timeout)
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if !slices.Contains([]string{"effect", "writes", "checkpointable", "parallel_safe", "timeout"}, key) {
				one.fault(key, "unknown key: known here are effect, writes, checkpointable, parallel_safe, timeout")
			}
		}
		if s.Tools == nil {
			s.Tools = map[string]Override{}
		}
		s.Tools[name] = o
	}
}
