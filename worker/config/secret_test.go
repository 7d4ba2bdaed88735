package config_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"errand/worker/config"
)

const hidden = "sk-live-4242"

func secretive() config.Config {
	c := config.Default()
	c.Models = []config.Endpoint{{
		Match: "*", BaseURL: "https://me:" + hidden + "@models.example/v1?key=" + hidden, APIKey: hidden, API: "chat",
		Headers: map[string]config.Secret{"X-Key": hidden}, Stream: true, IdleTimeout: 90 * time.Second,
	}}
	return c
}

func TestConfigNeverPrintsItsSecrets(t *testing.T) {
	t.Parallel()
	c := secretive()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		require.NotContains(t, fmt.Sprintf(verb, c), hidden, verb)
		require.NotContains(t, fmt.Sprintf(verb, &c), hidden, verb)
		require.NotContains(t, fmt.Sprintf(verb, c.Models[0].APIKey), hidden, verb)
		require.NotContains(t, fmt.Sprintf(verb, c.Models[0].Headers), hidden, verb)
	}
	require.JSONEq(t, `{"task_queue":"errand","models":[{"match":"*","base_url":"https://models.example/v1",`+
		`"api":"chat","api_key":"[set]","headers":["X-Key"],"stream":true,"idle_timeout":"1m30s"}],"files_root":".errand/files","fetch_hosts":[],`+
		`"log_level":"info","log_format":"json","memory_bytes":67108864,"activities":200}`, c.String())
}

func TestLogsNeverShowSecrets(t *testing.T) {
	t.Parallel()
	c := secretive()
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	for _, field := range []zap.Field{
		zap.Any("config", c), zap.Object("config", c), zap.Any("endpoint", c.Models[0]),
		zap.Any("key", c.Models[0].APIKey), zap.Reflect("headers", c.Models[0].Headers),
	} {
		line, err := encoder.EncodeEntry(zapcore.Entry{}, []zap.Field{field})
		require.NoError(t, err)
		require.NotContains(t, line.String(), hidden)
	}
}

func TestSecretsEncodeAsAMask(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(map[string]config.Secret{"a": hidden, "b": ""})
	require.NoError(t, err)
	require.JSONEq(t, `{"a":"[set]","b":"[not set]"}`, string(text))
}

func TestFaultsNeverShowSecrets(t *testing.T) {
	t.Parallel()
	file := `
models:
  - {match: a, base_url: "` + hidden + `"}
  - {match: b, base_url: "http://me:` + hidden + `@models.example"}
  - {match: c, base_url: "//me:` + hidden + `@["}
  - {match: d, api_key_env: "` + hidden + `"}
  - {match: e, api_key: "${` + hidden + `}"}
  - {match: f, api_key: ["` + hidden + `"]}
  - {match: g, api_key: "` + hidden + `\u0001"}
  - {match: h, headers: {X-Key: "` + hidden + `\n"}}
  - {match: i, base_url: "http://${KEY}"}
`
	_, err := config.Load(written(t, file, "OPENAI_BASE_URL="+hidden, "OPENAI_API_KEY=x\x01"+hidden, "KEY="+hidden+":x"))
	var faults *config.Error
	require.ErrorAs(t, err, &faults)
	require.Len(t, faults.Faults, 10)
	require.NotContains(t, err.Error(), hidden)

	made := secretive().Faults()
	require.NotEmpty(t, made)
	require.NotContains(t, made.Error(), hidden)
}
