package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"go.temporal.io/sdk/contrib/envconfig"

	"errand/activities/openaimodel"
	"errand/storage"
	"errand/tools"
)

// fileVariable names the configuration file.
const fileVariable = "ERRAND_CONFIG"

// TemporalHint is the fix for a connection that is configured wrongly.
const TemporalHint = ": check TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and the TEMPORAL_TLS_* variables"

// Load reads the configuration from the variables given, usually os.Environ(),
// and from the YAML file that ERRAND_CONFIG names. A variable wins over the file;
// an empty one counts as not set; of one that is given twice the last stands. A
// worker of this configuration connects by the TEMPORAL_* variables among them.
// The error is an *Error with every fault.
func Load(environ []string) (Config, error) {
	l := &loader{environment: newEnvironment(environ)}
	l.read()
	l.settings.MCP.readServers(l.environment, &l.faults)
	l.checkTemporal()
	if err := NewError("the configuration", l.faults); err != nil {
		return Config{}, err
	}
	c := l.settings.config()
	c.environ = l.environment.temporal()
	return c, nil
}

// LoadStorage reads only where large payloads go, from the same variables and the
// same file as Load: for programs that start runs, or read them, and are no
// worker. Faults elsewhere in the file do not matter. The error is an *Error.
func LoadStorage(environ []string) (storage.Config, error) {
	l := &loader{environment: newEnvironment(environ), only: "storage"}
	l.read()
	if err := NewError("the configuration", l.faults); err != nil {
		return storage.Config{}, err
	}
	return l.settings.Storage, nil
}

// loader fills settings from the least to the most binding place.
type loader struct {
	environment environment
	settings    settings
	// only is the section whose faults matter; empty for all.
	only   string
	faults tools.Faults
	// found are the faults of both places under the paths of their keys.
	found tools.Faults
}

func (l *loader) read() {
	c := Default()
	l.settings = settings{Config: c, Search: searchSettings{Search: c.Search}}
	l.readFile()
	l.readEnvironment()
	before := len(l.found)
	l.settings.config().checkTogether(&l.found)
	l.report(l.found[before:], func(path string) string { return path })
}

// report takes faults over, under the names that the one who wrote them knows.
// An empty name drops a fault.
func (l *loader) report(found tools.Faults, name func(path string) string) {
	var all tools.Faults
	for _, f := range found {
		matters := l.only == "" || inside(f.Path, l.only)
		if f.Path = name(f.Path); matters && f.Path != "" {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b tools.Fault) int { return cmp.Compare(a.Path, b.Path) })
	l.faults = append(l.faults, all...)
}

func (l *loader) readFile() {
	path := l.environment[fileVariable]
	if path == "" {
		return
	}
	tree := koanf.New(".")
	if err := tree.Load(file.Provider(path), yaml.Parser()); err != nil {
		l.faults.Add(fileVariable, fmt.Sprintf("%q: %s", path, fileFault(err)))
		return
	}
	written := layer{tree: tree, references: l.environment}
	written.decode(&l.settings)
	l.settings.resolve(&written)
	l.settings.config().check(&written.faults)
	l.found = append(l.found, written.faults...)
	l.report(written.faults, func(path string) string { return path })
}

// fileFault keeps a YAML parser from quoting the file: that may be a file of
// secrets which was named by mistake.
func fileFault(err error) string {
	if strings.Contains(err.Error(), "cannot unmarshal") {
		return "must be a YAML mapping with keys such as models and log"
	}
	return err.Error()
}

var pathOfVariable = variablePaths("", reflect.TypeFor[variables]())

func (l *loader) readEnvironment() {
	tree := koanf.New(".")
	provider := env.Provider(".", env.Opt{EnvironFunc: l.environment.Environ, TransformFunc: l.variable})
	if err := tree.Load(provider, nil); err != nil {
		l.faults.Add("environment", err.Error())
		return
	}
	given := layer{tree: tree}
	v := variables{settings: l.settings, Endpoint: endpointVariables{BaseURL: defaultBaseURL, API: openaimodel.Responses}}
	v.Search.makeRoom(tree)
	given.decode(&v)
	given.key("search", &v.Search.APIKey, nil)
	last := v.Endpoint.endpoint()
	last.check("endpoint", &given.faults)
	v.config().check(&given.faults)
	// An endpoint that nobody asked for is there only if there is no other: no
	// conversation goes to a server that nobody chose.
	if tree.Exists("endpoint.base_url") || tree.Exists("endpoint.api_key") || len(v.Models) == 0 {
		v.Models = append(v.Models, modelSettings{Endpoint: last})
	}
	l.settings = v.settings
	l.found = append(l.found, given.faults...)
	l.report(given.faults, func(path string) string { return variableOf(path, tree) })
}

// variableOf names the variable at a path; empty if it is not set, and a fault
// there is one of the file.
func variableOf(path string, tree *koanf.Koanf) string {
	if path == "endpoint" {
		return "OPENAI_*"
	}
	at, _, _ := strings.Cut(path, "[")
	for variable, key := range pathOfVariable {
		if key == at && tree.Exists(key) {
			return variable + strings.TrimPrefix(path, at)
		}
	}
	return ""
}

// variable maps one environment variable to its key. A name that looks like
// ours and is not may be a slip, or belong to another program: it is warned of
// and ignored.
func (l *loader) variable(name, value string) (string, any) {
	key, known := pathOfVariable[name]
	switch {
	case known && value != "":
		return key, value
	case !known && strings.HasPrefix(name, "ERRAND_") && name != fileVariable:
		l.settings.warnings = append(l.settings.warnings, name+" is not a variable of the worker and is ignored")
	}
	return "", nil
}

// checkTemporal reports a broken profile now and not when the worker connects.
func (l *loader) checkTemporal() {
	_, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{EnvLookup: l.environment})
	if err != nil {
		l.faults.Add("TEMPORAL_*", err.Error()+TemporalHint)
	}
}
