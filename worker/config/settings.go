package config

import (
	"fmt"
	"strings"

	"github.com/knadh/koanf/v2"

	"errand/tools"
)

// settings are a configuration as the file writes it. Beside what is a field of
// Config there is what becomes one.
type settings struct {
	Config `koanf:",squash"`
	Models []modelSettings `koanf:"models"`
	MCP    mcpSettings     `koanf:"mcp"`
	Search searchSettings  `koanf:"search"`
}

type modelSettings struct {
	Endpoint  `koanf:",squash"`
	APIKeyEnv *string `koanf:"api_key_env"`
}

type searchSettings struct {
	Search    `koanf:",squash"`
	APIKeyEnv *string `koanf:"api_key_env"`
}

// variables are settings as the environment has them. An endpoint of its own
// stands in no file: an address from one place must never be paired with a key
// from another.
type variables struct {
	settings `koanf:",squash"`
	Endpoint endpointVariables `koanf:"endpoint"`
}

type endpointVariables struct {
	BaseURL string `koanf:"base_url" env:"OPENAI_BASE_URL"`
	APIKey  Secret `koanf:"api_key" env:"OPENAI_API_KEY"`
	API     string `koanf:"api" env:"ERRAND_MODEL_API"`
	Stream  bool   `koanf:"stream" env:"ERRAND_MODEL_STREAM"`
}

// endpoint serves what no other does.
func (v endpointVariables) endpoint() Endpoint {
	return Endpoint{Match: "*", BaseURL: v.BaseURL, APIKey: Secret(strings.TrimSpace(string(v.APIKey))), API: v.API, Stream: v.Stream}
}

// makeRoom forgets who searches if the environment says so too: a key must not go
// to an address from another place.
func (s *searchSettings) makeRoom(environment *koanf.Koanf) {
	for _, key := range []string{"provider", "base_url", "api_key"} {
		if environment.Exists("search." + key) {
			s.Provider, s.BaseURL, s.APIKey = "", "", ""
		}
	}
}

// config is what the settings say.
func (s *settings) config() Config {
	c := s.Config
	c.MCP, c.Search = s.MCP.MCP, s.Search.Search
	for _, m := range s.Models {
		c.Models = append(c.Models, m.Endpoint)
	}
	return c
}

// resolve puts keys and addresses in the place of what stands for them, and
// looks at what only a file can have wrong.
func (s *settings) resolve(l *layer) {
	first := map[string]string{}
	for i := range s.Models {
		m, at := &s.Models[i], fmt.Sprintf("models[%d]", i)
		l.key(at, &m.APIKey, m.APIKeyEnv)
		l.address(at+".base_url", &m.BaseURL)
		requireMatch(&l.faults, at, m.Match)
		if place, taken := first[m.Match]; taken && m.Match != "" {
			l.faults.Add(at+".match", fmt.Sprintf("%q: repeats %s, which always wins: remove one", m.Match, place))
		} else {
			first[m.Match] = at + ".match"
		}
	}
	for i, p := range s.Prices {
		requireMatch(&l.faults, fmt.Sprintf("prices[%d]", i), p.Match)
	}
	l.key("search", &s.Search.APIKey, s.Search.APIKeyEnv)
	if s.Search.BaseURL != "" {
		l.address("search.base_url", &s.Search.BaseURL)
	}
}

func requireMatch(all *tools.Faults, at, match string) {
	if match == "" && !within(*all, at+".match") {
		all.Add(at+".match", `required: a model's name or a pattern such as "gpt-*"`)
	}
}

// key reads the key of the section at a path: it stands there, or in the
// variable that is named there.
func (l *layer) key(at string, key *Secret, variable *string) {
	*key = Secret(strings.TrimSpace(string(*key)))
	if variable == nil {
		return
	}
	at += ".api_key_env"
	switch {
	case *key != "":
		l.faults.Add(at, "stands beside api_key: keep one of them")
	case !variableName.MatchString(*variable):
		// It may be the key itself, so it is not shown.
		l.faults.Add(at, "must be the name of an environment variable, such as OPENAI_API_KEY")
	default:
		value, err := l.references.expand("${" + *variable + "}")
		l.fault(at, err)
		*key = Secret(strings.TrimSpace(value))
	}
}

// address reads a base URL.
func (l *layer) address(at string, target *string) {
	value, err := l.references.expand(*target)
	if err != nil {
		l.fault(at, err)
		return
	}
	checkURL(&l.faults, at, value, *target)
	*target = value
}
