package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"errand/tools"
	"errand/tools/hosts"
	"errand/tools/mcp/mcpconfig"
)

// target is a server as calls reach it: every credential resolved.
type target struct {
	mcpconfig.Server
	// fromRequest says that the request brought the address: it is held against the
	// allowed hosts when it is dialled too.
	fromRequest bool
	allowed     hosts.List
	// key tells connections apart: those of one key may be shared.
	key string
	// warnings are about the declaration.
	warnings []string
}

// Options are what a worker knows about servers beside each one's own part.
type Options struct {
	Servers []mcpconfig.Server
	// Hosts may be named by server_url in a request.
	Hosts []string
	// Secrets may be named by requests, as ${secret:name}.
	Secrets map[string]tools.Secret
	Log     Logger
}

// HostsSetting is what refusals call Options.Hosts.
const HostsSetting = "mcp.hosts (ERRAND_MCP_HOSTS)"

// resolve finds the server that a declaration means. What is wrong is a fault
// of the request, under the path of the declaration.
func (o Options) resolve(d tools.ServerDeclaration, path string, faults *tools.Faults) (target, bool) {
	before := len(*faults)
	t := target{allowed: hosts.List{Names: o.Hosts, Setting: HostsSetting}}
	if d.URL == "" {
		i := slices.IndexFunc(o.Servers, func(s mcpconfig.Server) bool { return s.Name == d.Label })
		if i < 0 {
			faults.Add(path+".server_label", o.unknown(d.Label))
			return t, false
		}
		t.Server = o.Servers[i].WithDefaults()
	} else {
		t.fromRequest = true
		t.Server = mcpconfig.Server{Name: d.Label, URL: d.URL, Approval: json.RawMessage(`"always"`)}.WithDefaults()
		o.checkAddress(&t, path, faults)
	}
	o.credentials(&t, d, path, faults)
	if d.Approval != nil {
		t.Approval = d.Approval
	}
	t.key = t.digest()
	return t, len(*faults) == before
}

func (o Options) unknown(label string) string {
	names := make([]string, len(o.Servers))
	for i, s := range o.Servers {
		names[i] = s.Name
	}
	text := fmt.Sprintf("the worker has no MCP server %q, and the declaration brings no server_url", label)
	if len(names) > 0 {
		text += "; it has: " + strings.Join(names, ", ")
	}
	return text
}

func (o Options) checkAddress(t *target, path string, faults *tools.Faults) {
	if complaint := mcpconfig.CheckURL(t.URL); complaint != "" {
		faults.Add(path+".server_url", complaint)
		return
	}
	u, err := url.Parse(t.URL)
	if err == nil {
		err = t.allowed.Check(u)
	}
	if err != nil {
		faults.Add(path+".server_url", strings.TrimPrefix(err.Error(), "url: "))
	}
}

// credentials adds those that the declaration brings. A configured server takes
// them on top of its own, but never its own headers' place.
func (o Options) credentials(t *target, d tools.ServerDeclaration, path string, faults *tools.Faults) {
	if d.Authorization == "" && len(d.Headers) == 0 {
		return
	}
	if t.Command == "" && t.Scope == mcpconfig.ScopeRun {
		faults.Add(path+".headers", "a server of scope run takes no credentials from requests: configure its headers on the worker")
		return
	}
	if t.Command != "" {
		faults.Add(path+".headers", "a server that runs as a process takes no headers: configure its env on the worker")
		return
	}
	given := map[string]string{}
	for name, value := range d.Headers {
		if reason := mcpconfig.CheckHeader(name); reason != "" {
			faults.Add(path+".headers."+name, reason)
		}
		given[name] = value
	}
	if d.Authorization != "" {
		given["Authorization"] = bearer(d.Authorization)
	}
	headers := map[string]tools.Secret{}
	for name, value := range given {
		place := path + ".headers." + name
		if name == "Authorization" && d.Authorization != "" {
			place = path + ".authorization"
		}
		text, literal, err := mcpconfig.ExpandSecrets(value, o.secret)
		if err != nil {
			faults.Add(place, err.Error())
		}
		if literal {
			t.warnings = append(t.warnings, place+": holds a credential in plain text, which stays in the run's history: name a secret of the worker, ${secret:name}")
		}
		headers[name] = tools.Secret(text)
	}
	slices.Sort(t.warnings)
	for name, value := range t.Headers {
		headers[name] = value
	}
	t.Headers = headers
}

// bearer is the header for a token; a value that names its scheme stays.
func bearer(token string) string {
	if scheme, rest, ok := strings.Cut(token, " "); ok && rest != "" && scheme != "" {
		return token
	}
	return "Bearer " + token
}

func (o Options) secret(name string) (string, bool) {
	value, ok := o.Secrets[name]
	return string(value), ok
}

// digest tells targets apart by everything that a connection depends on.
func (t target) digest() string {
	h := sha256.New()
	write := func(parts ...string) {
		for _, p := range parts {
			h.Write(fmt.Appendf(nil, "%d:%s,", len(p), p))
		}
	}
	write(t.Name, t.URL, t.Command, t.Cwd, t.Transport, t.Protocol, fmt.Sprint(t.fromRequest))
	write(t.Args...)
	for _, m := range []map[string]tools.Secret{t.Env, t.Headers} {
		for _, name := range sortedKeys(m) {
			write(name, string(m[name]))
		}
		write("|")
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
