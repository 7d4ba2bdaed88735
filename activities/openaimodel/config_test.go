package openaimodel_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities/openaimodel"
)

func TestEveryFaultOfAConfigIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	_, err := openaimodel.New(openaimodel.Config{
		BaseURL: "ftp://host",
		APIKey:  "secret\n",
		API:     "completions",
		Headers: map[string]string{"bad name": "x", "X-Line": "a\r\nb", "content-type": "text/plain"},
		Timeout: -time.Second,
	})
	for _, part := range []string{
		"BaseURL: needs http", "APIKey: ", `API: "completions" is unknown`, `Headers["bad name"]`,
		`Headers["X-Line"]`, `Headers["content-type"]`, "Timeout: -1s",
	} {
		require.ErrorContains(t, err, part)
	}
	require.NotContains(t, err.Error(), "secret")
}

func TestBaseURLFaultsNameTheFix(t *testing.T) {
	t.Parallel()
	for url, fix := range map[string]string{
		"127.0.0.1:8000/v1":              "such as http://127.0.0.1:8000/v1",
		"localhost":                      "needs http:// or https://",
		"https://":                       "a host",
		"https://me:hidden@host/v1":      "use APIKey or Headers",
		"https://host/v1?key=hidden":     "remove it",
		"https://host/v1#x":              "remove it",
		"https://host/v1/responses":      "/responses, which is added",
		"http://host/chat/completions/":  "/chat/completions, which is added",
		"http://host:hidden/v1":          "is not a URL",
		"http://host/\x7fhidden/control": "is not a URL",
	} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			_, err := openaimodel.New(openaimodel.Config{BaseURL: url})
			require.ErrorContains(t, err, "BaseURL: ")
			require.ErrorContains(t, err, fix)
			require.NotContains(t, err.Error(), "hidden")
		})
	}
}

func TestTwoAuthorizationsAreAFault(t *testing.T) {
	t.Parallel()
	headers := map[string]string{"authorization": "Basic eA=="}
	_, err := openaimodel.New(openaimodel.Config{APIKey: testKey, Headers: headers})
	require.ErrorContains(t, err, `Headers["authorization"]: APIKey sets this header too`)
	_, err = openaimodel.New(openaimodel.Config{Headers: headers})
	require.NoError(t, err)
}

func TestEmptyConfigIsEnough(t *testing.T) {
	t.Parallel()
	_, err := openaimodel.New(openaimodel.Config{})
	require.NoError(t, err)
}

func TestIdleTimeoutIsForStreams(t *testing.T) {
	t.Parallel()
	_, err := openaimodel.New(openaimodel.Config{IdleTimeout: time.Second})
	require.ErrorContains(t, err, "IdleTimeout: has no effect without Stream")
	_, err = openaimodel.New(openaimodel.Config{IdleTimeout: -time.Second, Stream: true})
	require.ErrorContains(t, err, "IdleTimeout: -1s is negative; use 0 for 2m0s")
	_, err = openaimodel.New(openaimodel.Config{IdleTimeout: time.Second, Stream: true})
	require.NoError(t, err)
}
