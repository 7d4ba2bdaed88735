package config_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/worker/config"
)

// written is an environment whose ERRAND_CONFIG names a file of that text.
func written(t *testing.T, text string, variables ...string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "errand.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return append(quiet(t, variables...), "ERRAND_CONFIG="+path)
}

// quiet is an environment in which no profile of the machine's user counts.
func quiet(t *testing.T, variables ...string) []string {
	t.Helper()
	return append([]string{"TEMPORAL_CONFIG_FILE=" + filepath.Join(t.TempDir(), "none.toml")}, variables...)
}

func TestLoadConfigNeedsNothing(t *testing.T) {
	t.Parallel()
	c, err := config.Load(quiet(t))
	require.NoError(t, err)
	want := config.Default()
	want.Models = []config.Endpoint{{Match: "*", BaseURL: "https://api.openai.com/v1", API: "responses"}}
	require.Equal(t, want, c.Loaded())
	require.Equal(t, "errand", c.Temporal.TaskQueue)
	require.Equal(t, ".errand/files", c.Files.Root)
}

func TestLoadConfigReadsTheEnvironment(t *testing.T) {
	t.Parallel()
	c, err := config.Load(quiet(t,
		"OPENAI_BASE_URL=http://127.0.0.1:8000/v1", "OPENAI_API_KEY= k1\n", "ERRAND_MODEL_API=chat", "ERRAND_MODEL_STREAM=true",
		"ERRAND_TASK_QUEUE=batch", "ERRAND_FILES_ROOT=/srv/files", "ERRAND_FETCH_HOSTS=a.example, b.example,",
		"ERRAND_LOG_LEVEL=debug", "ERRAND_LOG_FORMAT=console"))
	require.NoError(t, err)
	require.Equal(t, []config.Endpoint{{
		Match: "*", BaseURL: "http://127.0.0.1:8000/v1", APIKey: "k1", API: "chat", Stream: true,
	}}, c.Models)
	require.Equal(t, config.Temporal{TaskQueue: "batch"}, c.Temporal)
	require.Equal(t, config.Files{Root: "/srv/files"}, c.Files)
	require.Equal(t, config.Fetch{Hosts: []string{"a.example", "b.example"}}, c.Fetch)
	require.Equal(t, config.Log{Level: "debug", Format: "console"}, c.Log)
}

func TestLoadConfigReadsTheProcessEnvironment(t *testing.T) {
	t.Setenv("ERRAND_TASK_QUEUE", "from-process")
	c, err := config.Load(quiet(t, os.Environ()...))
	require.NoError(t, err)
	require.Equal(t, "from-process", c.Temporal.TaskQueue)
}

const everyKey = `
temporal: {task_queue: from-file}
models:
  - match: "gpt-*"
    base_url: "http://${GPU_HOST}:8000/v1"
    api_key: "${FILE_KEY}"
    api: chat
    headers: {X-Team: "team ${TEAM}", X-Plain: plain}
    timeout: 90s
    stream: true
    idle_timeout: 45s
  - match: claude
    api_key_env: FILE_KEY
    stream: false
files: {root: /from/file}
fetch: {hosts: [file.example]}
search: {provider: brave, api_key: "${FILE_KEY}", timeout: 3s, hosts: [pages.example]}
log: {level: warn, format: console}
limits: {memory_bytes: 1024, activities: 7}
`

func TestLoadConfigReadsEveryKeyOfTheFile(t *testing.T) {
	t.Parallel()
	c, err := config.Load(written(t, everyKey, "GPU_HOST=gpu1", "FILE_KEY=fk", "TEAM=blue"))
	require.NoError(t, err)
	require.Equal(t, config.Config{
		Temporal: config.Temporal{TaskQueue: "from-file"},
		Models: []config.Endpoint{
			{
				Match: "gpt-*", BaseURL: "http://gpu1:8000/v1", APIKey: "fk", API: "chat",
				Headers: map[string]config.Secret{"X-Team": "team blue", "X-Plain": "plain"},
				Timeout: 90 * time.Second, Stream: true, IdleTimeout: 45 * time.Second,
			},
			{Match: "claude", BaseURL: "https://api.openai.com/v1", APIKey: "fk", API: "responses"},
		},
		Files:  config.Files{Root: "/from/file"},
		Fetch:  config.Fetch{Hosts: []string{"file.example"}},
		Search: config.Search{Provider: "brave", APIKey: "fk", Timeout: 3 * time.Second, Hosts: []string{"pages.example"}},
		Log:    config.Log{Level: "warn", Format: "console"},
		Limits: config.Limits{MemoryBytes: 1024, Activities: 7},
	}, c.Loaded())
}

func TestEnvironmentWinsOverTheFile(t *testing.T) {
	t.Parallel()
	c, err := config.Load(written(t, everyKey, "GPU_HOST=gpu1", "FILE_KEY=fk", "TEAM=blue",
		"ERRAND_TASK_QUEUE=from-env", "ERRAND_FETCH_HOSTS=env.example", "ERRAND_LOG_LEVEL=error", "ERRAND_LOG_FORMAT="))
	require.NoError(t, err)
	require.Equal(t, "from-env", c.Temporal.TaskQueue)
	require.Equal(t, []string{"env.example"}, c.Fetch.Hosts)
	require.Equal(t, config.Log{Level: "error", Format: "console"}, c.Log, "an empty variable counts as not set")
	require.Equal(t, "/from/file", c.Files.Root)
}

func TestLastOfARepeatedVariableStands(t *testing.T) {
	t.Parallel()
	c, err := config.Load(quiet(t, "ERRAND_TASK_QUEUE=first", "ERRAND_TASK_QUEUE=last"))
	require.NoError(t, err)
	require.Equal(t, "last", c.Temporal.TaskQueue)
}

func TestEnvironmentsEndpointComesLast(t *testing.T) {
	t.Parallel()
	const file = `models: [{match: local, base_url: "http://localhost:1/v1"}]`
	c, err := config.Load(written(t, file, "OPENAI_API_KEY=k"))
	require.NoError(t, err)
	require.Equal(t, []string{"local", "*"}, []string{c.Models[0].Match, c.Models[1].Match})
	require.Equal(t, config.Secret("k"), c.Models[1].APIKey)
	require.Empty(t, c.Models[0].APIKey, "the environment's key goes to the environment's address only")
}

func TestFileWithModelsNeedsNoFallback(t *testing.T) {
	t.Parallel()
	c, err := config.Load(written(t, `models: [{match: local, base_url: "http://localhost:1/v1"}]`))
	require.NoError(t, err)
	require.Len(t, c.Models, 1)
}

func TestFolderOfSkillsIsConfigured(t *testing.T) {
	t.Parallel()
	c, err := config.Load(written(t, "skills: {root: /from/file}"))
	require.NoError(t, err)
	require.Equal(t, config.Skills{Root: "/from/file"}, c.Skills)
	require.Contains(t, c.String(), `"skills_root":"/from/file"`)

	c, err = config.Load(written(t, "skills: {root: /from/file}", "ERRAND_SKILLS_ROOT=/from/environment"))
	require.NoError(t, err)
	require.Equal(t, config.Skills{Root: "/from/environment"}, c.Skills)

	c, err = config.Load(written(t, `skills: {root: ""}`, "ERRAND_SKILLS_ROOT="))
	require.NoError(t, err)
	require.Empty(t, c.Skills)

	_, err = config.Load(written(t, `skills: {root: " ", path: x}`))
	require.EqualError(t, err, "worker: 2 faults in the configuration:\n"+
		`  skills.path: unknown key: known here are root`+"\n"+
		`  skills.root: " ": must not be empty: write a directory`)
}
