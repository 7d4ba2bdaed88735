package config_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/worker/config"
)

func TestEveryFaultIsListedAtOnce(t *testing.T) {
	t.Parallel()
	const file = `
temporal: {task_queue: "", address: "localhost:7233"}
models:
  - base_url: ftp://models.example
    api: soap
    timeout: 90
  - match: "gpt-["
    api_key: "${MISSING}"
    headers: {X-Team: "${ALSO_MISSING}", X-Broken: "${oops"}
  - match: twice
  - match: twice
    base_url: "http://u:secret-password@host/v1"
  - just-a-name
files: {root: 7}
fetch: {hosts: ["https://docs.example.com/x", 3]}
log: {level: loud}
limits: {memory_bytes: 0, activities: many}
modles: []
`
	_, err := config.Load(written(t, file,
		"ERRAND_LOG_FORMAT=xml", "OPENAI_BASE_URL=localhost:8000", "ERRAND_MODEL_API=rest", "ERRAND_MODEL_STREAM=1", "TEMPORAL_PROFILE=nowhere"))
	require.EqualError(t, err, `worker: 25 faults in the configuration:
  fetch.hosts[0]: "https://docs.example.com/x": must be a host alone, such as "docs.example.com"
  fetch.hosts[1]: must be a string in quotes, not a number
  files.root: must be a string in quotes, not a number
  limits.activities: "many": must be a whole number from 1 on
  limits.memory_bytes: 0: must be a whole number from 1 on
  log.level: "loud": must be one of debug, info, warn, error
  models[0].api: "soap": must be one of responses, chat
  models[0].base_url: "ftp://models.example": must be a URL such as http://127.0.0.1:8000/v1
  models[0].match: required: a model's name or a pattern such as "gpt-*"
  models[0].timeout: 90: must be a duration such as "90s" or "5m"
  models[1].api_key: ${MISSING}: the environment variable is not set: set it, or remove the reference
  models[1].headers.X-Broken: holds a reference that is not of the form ${NAME}: write the name of a variable between ${ and }
  models[1].headers.X-Team: ${ALSO_MISSING}: the environment variable is not set: set it, or remove the reference
  models[1].match: "gpt-[": is not a pattern: close every "[" and end with no "\"
  models[3].base_url: "http://host/v1": must not hold a user: put credentials into api_key or headers
  models[3].match: "twice": repeats models[2].match, which always wins: remove one
  models[4]: must be a mapping, not a string
  modles: unknown key: known here are delegate, deployment, fetch, files, limits, log, mcp, models, prices, search, skills, storage, temporal
  temporal.address: unknown key: known here are task_queue
  temporal.task_queue: "": must not be empty: write for example "errand"
  ERRAND_LOG_FORMAT: "xml": must be one of json, console
  ERRAND_MODEL_API: "rest": must be one of responses, chat
  ERRAND_MODEL_STREAM: "1": must be true or false
  OPENAI_BASE_URL: "localhost:8000": must be a URL such as http://127.0.0.1:8000/v1
  TEMPORAL_*: unable to find profile nowhere in config data: check TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE and the TEMPORAL_TLS_* variables`)

	var faults *config.Error
	require.ErrorAs(t, err, &faults)
	require.Len(t, faults.Faults, 25)
}

func TestOneFaultIsNamedInTheSingular(t *testing.T) {
	t.Parallel()
	_, err := config.Load(quiet(t, "ERRAND_LOG_LEVEL=loud"))
	require.EqualError(t, err, "worker: 1 fault in the configuration:\n"+
		`  ERRAND_LOG_LEVEL: "loud": must be one of debug, info, warn, error`)
}

func TestUnreadableFilesAreFaults(t *testing.T) {
	t.Parallel()
	_, err := config.Load(quiet(t, "ERRAND_CONFIG="+filepath.Join(t.TempDir(), "absent.yaml")))
	require.ErrorContains(t, err, "  ERRAND_CONFIG: ")
	require.ErrorContains(t, err, "no such file")

	for name, text := range map[string]string{
		"a list":      "- log",
		"bare text":   "sk-proj-not-a-mapping",
		"a dangling":  "log: {level: info",
		"twice a key": "log: {}\nlog: {}",
	} {
		_, err := config.Load(written(t, text))
		require.ErrorContains(t, err, "  ERRAND_CONFIG: ", name)
		require.NotContains(t, err.Error(), "sk-proj", name)
	}
}

func TestWrongTypesAreFaultsWhereverTheyStand(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"log: debug":                                              "log: must be a mapping, not a string",
		"models: {match: x}":                                      "models: must be a list of mappings, not a mapping",
		"fetch: {hosts: docs.example.com}":                        "fetch.hosts: must be a list of strings, not a string",
		"models: [{match: x, api_key: 12345}]":                    "models[0].api_key: must be a string in quotes, not a number",
		"models: [{match: x, headers: [a]}]":                      "models[0].headers: must be a mapping, not a list",
		"models: [{match: x, headers: {a: 2001-01-01}}]":          "models[0].headers.a: must be a string in quotes, not a date",
		"models: [{match: x, timeout: 2562047h}]":                 `models[0].timeout: 2562047h0m0s is too long: write at most "87600h"`,
		"models: [{match: x, timeout: -1s}]":                      `models[0].timeout: "-1s": must be a duration such as "90s" or "5m"`,
		"models: [{match: x, stream: 'on'}]":                      `models[0].stream: "on": must be true or false`,
		"models: [{match: x, stream: 1}]":                         `models[0].stream: 1: must be true or false`,
		"models: [{match: x, stream: [true]}]":                    `models[0].stream: a list: must be true or false`,
		"models: [{match: x, stream: true, idle_timeout: 90}]":    `models[0].idle_timeout: 90: must be a duration such as "90s" or "5m"`,
		"models: [{match: x, idle_timeout: 90s}]":                 `models[0].idle_timeout: 1m30s: has no effect without stream: true: write that, or remove this`,
		"models: [{match: x, api_key: a, api_key_env: B}]":        "models[0].api_key_env: stands beside api_key: keep one of them",
		"models: [{match: x, base_url: 'http://h/v1/responses'}]": "models[0]: BaseURL: ends in /responses, which is added to it; remove that",
		"models: [{match: x, headers: {'a b': c}}]":               `models[0]: Headers["a b"]: is not a header name; use letters, digits and dashes`,
		"log: {level: true}":                                      "log.level: must be a string in quotes, not true or false",
	} {
		_, err := config.Load(written(t, text))
		require.EqualError(t, err, "worker: 1 fault in the configuration:\n  "+want, text)
	}
}

func TestNullCountsAsAbsent(t *testing.T) {
	t.Parallel()
	_, err := config.Load(written(t, "log:\nmodels:\ntemporal: {task_queue: }\n"))
	require.NoError(t, err)
}

func TestADeploymentNeedsItsNameAndItsBuild(t *testing.T) {
	t.Parallel()
	for d, want := range map[config.Deployment]string{
		{}:                              "",
		{Name: "errand", BuildID: "v1"}: "",
		{Name: "errand", BuildID: "v1", Behavior: config.Pinned}: "",
		{Name: "errand"}:             "deployment.build_id",
		{BuildID: "v1"}:              "deployment.name",
		{Name: "a.b", BuildID: "v1"}: "deployment.name",
		{Name: "errand", BuildID: "v1", Behavior: "sticky"}: "deployment.behavior",
	} {
		faults := config.Config{Deployment: d}.WithDefaults().Faults()
		if want == "" {
			require.Empty(t, faults, d)
			continue
		}
		require.Len(t, faults, 1, d)
		require.Equal(t, want, faults[0].Path)
	}
}

func TestNoFaultHidesAnother(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		file, variable string
		want           []string
	}{
		"an unknown key beside a wrong value": {"files: {root: 7, rot: x}", "", []string{
			"files.root: must be a string in quotes, not a number",
			"files.rot: unknown key: known here are root",
		}},
		"a key in other letters": {"Log: {level: info}\nfiles: {Root: x}", "", []string{
			"Log: unknown key: known here are delegate, deployment, fetch, files, limits, log, mcp, models, prices, search, skills, storage, temporal",
			"files.Root: unknown key: known here are root",
		}},
		"a variable over the file": {"log: {level: shout}", "ERRAND_LOG_LEVEL=loud", []string{
			`log.level: "shout": must be one of debug, info, warn, error`,
			`ERRAND_LOG_LEVEL: "loud": must be one of debug, info, warn, error`,
		}},
		"a good variable over the file": {"log: {level: shout}", "ERRAND_LOG_LEVEL=info", []string{
			`log.level: "shout": must be one of debug, info, warn, error`,
		}},
		"what a section lacks": {"search: {provider: brave}\nlog: {level: 5}", "ERRAND_BUILD_ID=v1", []string{
			"log.level: must be a string in quotes, not a number",
			"deployment.name: required beside build_id and behavior: the name of the deployment",
			"search.api_key (ERRAND_SEARCH_KEY): required for brave: a key of the Brave Search API",
		}},
		"two references in one text": {`models: [{match: m, api_key: "${ONE}${TWO}"}]`, "", []string{
			"models[0].api_key: ${ONE}: the environment variable is not set: set it, or remove the reference",
			"models[0].api_key: ${TWO}: the environment variable is not set: set it, or remove the reference",
		}},
	} {
		_, err := config.Load(written(t, one.file, one.variable))
		var faults *config.Error
		require.ErrorAs(t, err, &faults, name)
		got := make([]string, len(faults.Faults))
		for i, f := range faults.Faults {
			got[i] = f.String()
		}
		require.Equal(t, one.want, got, name)
	}
}

func TestAListReplacesTheOneBelowIt(t *testing.T) {
	t.Parallel()
	c, err := config.Load(written(t, "fetch: {hosts: [a.example, b.example, c.example]}", "ERRAND_FETCH_HOSTS=d.example"))
	require.NoError(t, err)
	require.Equal(t, []string{"d.example"}, c.Fetch.Hosts)
}
