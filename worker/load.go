package worker

import (
	"fmt"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"go.temporal.io/sdk/contrib/envconfig"

	"errand/tools"
)

// fileVariable names the configuration file.
const fileVariable = "ERRAND_CONFIG"

// variables are the environment's names for keys of the configuration. Those
// under "endpoint" exist in the environment only: an address from one place
// must never be paired with a key from another.
var variables = map[string]string{
	"ERRAND_TASK_QUEUE":            "temporal.task_queue",
	"ERRAND_DEPLOYMENT":            "deployment.name",
	"ERRAND_BUILD_ID":              "deployment.build_id",
	"ERRAND_VERSIONING":            "deployment.behavior",
	"ERRAND_FILES_ROOT":            "files.root",
	"ERRAND_SKILLS_ROOT":           "skills.root",
	"ERRAND_FETCH_HOSTS":           "fetch.hosts",
	"ERRAND_MCP_CONFIG":            "mcp.config",
	"ERRAND_MCP_HOSTS":             "mcp.hosts",
	"ERRAND_SEARCH_PROVIDER":       "search.provider",
	"ERRAND_SEARCH_URL":            "search.base_url",
	"ERRAND_SEARCH_KEY":            "search.api_key",
	"ERRAND_SEARCH_HOSTS":          "search.hosts",
	"ERRAND_STORAGE_DRIVER":        "storage.driver",
	"ERRAND_STORAGE_DIRECTORY":     "storage.directory",
	"ERRAND_STORAGE_THRESHOLD":     "storage.threshold",
	"ERRAND_STORAGE_MAX_OUTPUT":    "storage.max_output",
	"ERRAND_STORAGE_S3_BUCKET":     "storage.s3.bucket",
	"ERRAND_STORAGE_S3_PREFIX":     "storage.s3.prefix",
	"ERRAND_STORAGE_S3_REGION":     "storage.s3.region",
	"ERRAND_STORAGE_S3_ENDPOINT":   "storage.s3.endpoint",
	"ERRAND_STORAGE_S3_PATH_STYLE": "storage.s3.path_style",
	"ERRAND_LOG_LEVEL":             "log.level",
	"ERRAND_LOG_FORMAT":            "log.format",
	"OPENAI_BASE_URL":              "endpoint.base_url",
	"OPENAI_API_KEY":               "endpoint.api_key",
	"ERRAND_MODEL_API":             "endpoint.api",
	"ERRAND_MODEL_STREAM":          "endpoint.stream",
}

// LoadConfig reads the configuration from the variables given, usually
// os.Environ(), and from the YAML file that ERRAND_CONFIG names. A variable
// wins over the file; an empty one counts as not set; of one that is given
// twice the last stands. A worker of this configuration connects by the
// TEMPORAL_* variables among them. The error is an *Error with every fault.
func LoadConfig(environ []string) (Config, error) {
	l := newLoader(environ)
	l.readFile()
	l.readEnvironment()
	l.readServers()
	l.checkTemporal()
	l.config.Deployment.faults(&l.faults)
	if len(l.faults) == 0 {
		l.config.Search.faults(&l.faults)
	}
	l.checkStorage()
	if err := failed("the configuration", l.faults); err != nil {
		return Config{}, err
	}
	l.config.environ = l.environment.temporal()
	return l.config, nil
}

// loader fills a configuration from the least to the most binding place.
type loader struct {
	config      Config
	environment environment
	faults      tools.Faults
	// servers is what both places say about MCP servers.
	servers serversSection
}

func newLoader(environ []string) *loader {
	l := &loader{config: DefaultConfig(), environment: environment{}}
	for _, one := range environ {
		name, value, _ := strings.Cut(one, "=")
		l.environment[name] = value
	}
	return l
}

// file is the configuration file, if there is one that can be read.
func (l *loader) file() (*section, bool) {
	path := l.environment[fileVariable]
	if path == "" {
		return nil, false
	}
	tree := koanf.New(".")
	if err := tree.Load(file.Provider(path), yaml.Parser()); err != nil {
		l.faults.Add(fileVariable, fmt.Sprintf("%q: %s", path, fileComplaint(err)))
		return nil, false
	}
	return &section{values: tree.Raw(), faults: &l.faults}, true
}

func (l *loader) readFile() {
	top, ok := l.file()
	if !ok {
		return
	}
	l.common(top)
	l.searchSection(top.in("search"), true)
	l.config.Models = l.endpoints(top.each("models"))
	l.config.Prices = l.prices(top.each("prices"))
	top.finish()
}

// fileComplaint keeps a YAML parser from quoting the file: that may be a file
// of secrets which was named by mistake.
func fileComplaint(err error) string {
	if strings.Contains(err.Error(), "cannot unmarshal") {
		return "must be a YAML mapping with keys such as models and log"
	}
	return err.Error()
}

// variables are those of the environment that mean something, by their keys.
func (l *loader) variables() (*section, bool) {
	tree := koanf.New(".")
	provider := env.Provider(".", env.Opt{EnvironFunc: l.environment.Environ, TransformFunc: l.variable})
	if err := tree.Load(provider, nil); err != nil {
		l.faults.Add("environment", err.Error())
		return nil, false
	}
	named := map[string]string{}
	for variable, key := range variables {
		named[key] = variable
	}
	return &section{values: tree.Raw(), named: named, faults: &l.faults}, true
}

func (l *loader) readEnvironment() {
	top, ok := l.variables()
	if !ok {
		return
	}
	l.common(top)
	l.searchSection(top.in("search"), false)
	if last, ok := l.fallback(top.in("endpoint")); ok {
		l.config.Models = append(l.config.Models, last)
	}
}

// variable maps one environment variable to its key. A name that looks like
// ours and is not may be a slip, or belong to another program: it is remarked
// on and ignored.
func (l *loader) variable(name, value string) (string, any) {
	key, known := variables[name]
	switch {
	case known && value == "":
		return "", nil
	case name == "ERRAND_FETCH_HOSTS", name == "ERRAND_MCP_HOSTS", name == "ERRAND_SEARCH_HOSTS":
		return key, commaList(value)
	case known:
		return key, value
	case strings.HasPrefix(name, "ERRAND_") && name != fileVariable:
		l.config.remarks = append(l.config.remarks, name+" is not a variable of the worker and is ignored")
	}
	return "", nil
}

func commaList(text string) []any {
	all := []any{}
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	return all
}

// checkTemporal reports a broken profile now and not when the worker connects.
func (l *loader) checkTemporal() {
	_, err := envconfig.LoadClientOptions(envconfig.LoadClientOptionsRequest{EnvLookup: l.environment})
	if err != nil {
		l.faults.Add("TEMPORAL_*", err.Error()+temporalHint)
	}
}

// environment is a set of variables, in the form that envconfig asks for.
type environment map[string]string

// temporal is the part that says how to connect.
func (e environment) temporal() *environment {
	part := environment{}
	for name, value := range e {
		if strings.HasPrefix(name, "TEMPORAL_") {
			part[name] = value
		}
	}
	return &part
}

// Environ lists the variables in order.
func (e environment) Environ() []string {
	all := make([]string, 0, len(e))
	for name, value := range e {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return all
}

// LookupEnv finds one variable.
func (e environment) LookupEnv(name string) (string, bool) {
	value, ok := e[name]
	return value, ok
}
