package openaimodel_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel"
)

func TestStatusDecidesWhetherAFailureIsPermanent(t *testing.T) {
	t.Parallel()
	permanent := map[int]bool{
		400: true, 401: true, 402: true, 403: true, 404: true, 405: true, 410: true, 413: true, 415: true, 422: true, 451: true,
		408: false, 409: false, 429: false, 500: false, 501: false, 502: false, 503: false, 504: false, 529: false,
	}
	for status, want := range permanent {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			failure := refused(t, answer(t, status, `{"error":{"message":"no","type":"t","code":"c"}}`), "")
			require.Equal(t, model.Error{Status: status, Code: "c", Message: "no", Permanent: want}, *failure)
		})
	}
}

func TestSomeCodesArePermanentWhateverTheStatus(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"insufficient_quota", "context_length_exceeded", "invalid_prompt", "model_not_found"} {
		for _, body := range []string{
			`{"error":{"message":"no","code":"` + code + `"}}`,
			`{"error":{"message":"no","code":null,"type":"` + code + `"}}`,
		} {
			m := answer(t, http.StatusTooManyRequests, body, "X-Should-Retry", "true")
			failure := refused(t, m, "")
			require.True(t, failure.Permanent, code)
			require.Equal(t, code, failure.Code)
		}
	}
}

func TestServersWordOnRetriesIsHonoured(t *testing.T) {
	t.Parallel()
	require.False(t, refused(t, answer(t, http.StatusBadRequest, "", "X-Should-Retry", "true"), "").Permanent)
	require.True(t, refused(t, answer(t, http.StatusServiceUnavailable, "", "X-Should-Retry", "false"), "").Permanent)
	require.True(t, refused(t, answer(t, http.StatusBadRequest, "", "X-Should-Retry", "perhaps"), "").Permanent)
}

func TestMessageIsFoundInEveryKindOfBody(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ body, code, message string }{
		"openai":         {`{"error":{"message":"bad","type":"invalid_request_error","param":"input","code":"x"}}`, "x", "bad"},
		"code null":      {`{"error":{"message":"bad","type":"invalid_request_error","code":null}}`, "invalid_request_error", "bad"},
		"code a number":  {`{"error":{"message":"bad","type":"BadRequestError","code":400}}`, "400", "bad"},
		"old vllm":       {`{"object":"error","message":"bad","type":"BadRequestError","code":400}`, "400", "bad"},
		"a string":       {`{"error":"model not found"}`, "", "model not found"},
		"a true":         {`{"error":true,"message":"bad"}`, "", "bad"},
		"detail":         {`{"detail":"Not Found"}`, "", "Not Found"},
		"detail list":    {`{"detail":[{"loc":["body","input",0],"msg":"field required"},{"loc":["body"],"msg":"bad"}]}`, "", "body.input.0: field required; body: bad"},
		"detail object":  {`{"detail":{"message":"bad"}}`, "", "bad"},
		"a list":         {`[{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}]`, "503", "overloaded"},
		"unknown object": {`{"reason":"bad"}`, "", `{"reason":"bad"}`},
		"html":           {"<html>\r\n<head><title>502 Bad Gateway</title><style>b{}</style></head>\n<body><h1>502 Bad Gateway</h1><hr>nginx</body></html>", "", "502 Bad Gateway 502 Bad Gateway nginx"},
		"text":           {"upstream connect error\n", "", "upstream connect error"},
		"only tags":      {"<br/>", "", "<br/>"},
		"empty":          {"", "", "Bad Gateway (empty body)"},
		"null":           {"null", "", "null"},
		"long text":      {strings.Repeat("é", 300), "", strings.Repeat("é", 200)},
		"cut json":       {`{"error":{"message":"ba`, "", `{"error":{"message":"ba`},
		"empty list":     {`[]`, "", "[]"},
		"not utf-8":      {"bad \xff byte", "", "bad \uFFFD byte"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, api := range []string{openaimodel.Responses, openaimodel.Chat} {
				failure := refused(t, answer(t, http.StatusBadGateway, test.body), api)
				require.Equal(t, model.Error{Status: 502, Code: test.code, Message: test.message}, *failure)
			}
		})
	}
}

func TestMessageIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	body := `{"error":{"message":"a` + strings.Repeat("é", 3000) + `","code":"` + strings.Repeat("c", 3000) + `"}}`
	failure := refused(t, answer(t, http.StatusBadRequest, body), "")
	require.Equal(t, "a"+strings.Repeat("é", 999), failure.Message)
	require.Len(t, failure.Code, 200)
	require.True(t, utf8.ValidString(failure.Message))
}

func TestSecretsStayOutOfMessages(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"error":{"message":"wrong key ` + testKey + `","code":"` + testKey + `"}}`,
		strings.Repeat("x", 190) + testKey, // cut in half by the excerpt, were it not replaced first
		`{"error":{"message":"` + strings.Repeat("x", 1990) + testKey + `"}}`,
		`{"error":"` + "token gateway-secret refused" + `"}`,
	} {
		m := answer(t, http.StatusUnauthorized, body)
		client := build(t, openaimodel.Config{
			BaseURL: m.URL, APIKey: testKey, Headers: map[string]string{"X-Gateway": "Bearer gateway-secret", "X-Beta": "1"},
		})
		_, err := client.Infer(t.Context(), model.Request{Model: "m"})
		require.ErrorContains(t, err, "[reda")
		require.NotContains(t, err.Error(), "sk-te")
		require.NotContains(t, err.Error(), "gateway-secret")
	}
}

func TestRetryAfterIsReadInEveryForm(t *testing.T) {
	t.Parallel()
	const date, later = "Fri, 02 Jan 2026 03:04:05 GMT", "Fri, 02 Jan 2026 03:05:35 GMT"
	tests := map[string]struct {
		headers []string
		want    time.Duration
	}{
		"none":               {nil, 0},
		"seconds":            {[]string{"Retry-After", "7"}, 7 * time.Second},
		"fraction":           {[]string{"Retry-After", " 1.5 "}, 1500 * time.Millisecond},
		"milliseconds":       {[]string{"Retry-After-Ms", "250", "Retry-After", "7"}, 250 * time.Millisecond},
		"milliseconds, bad":  {[]string{"Retry-After-Ms", "soon", "Retry-After", "7"}, 7 * time.Second},
		"date":               {[]string{"Retry-After", later, "Date", date}, 90 * time.Second},
		"date in the past":   {[]string{"Retry-After", date, "Date", later}, 0},
		"date far away":      {[]string{"Retry-After", "Fri, 02 Jan 2099 03:04:05 GMT", "Date", date}, time.Hour},
		"capped":             {[]string{"Retry-After", "7200"}, time.Hour},
		"out of range":       {[]string{"Retry-After", "1e999"}, time.Hour},
		"beyond a duration":  {[]string{"Retry-After", "1e30"}, time.Hour},
		"negative":           {[]string{"Retry-After", "-5"}, 0},
		"negative, in ms":    {[]string{"Retry-After-Ms", "-5"}, 0},
		"not a number":       {[]string{"Retry-After", "NaN"}, 0},
		"nonsense":           {[]string{"Retry-After", "tomorrow"}, 0},
		"repeated, one good": {[]string{"Retry-After", "soon", "Retry-After", "7"}, 7 * time.Second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure := refused(t, answer(t, http.StatusTooManyRequests, `{}`, test.headers...), "")
			require.Equal(t, test.want, failure.RetryAfter)
		})
	}
}

func TestRepeatedRetryAfterDateBecomesDelay(t *testing.T) {
	t.Parallel()
	const date, later = "Fri, 02 Jan 2026 03:04:05 GMT", "Fri, 02 Jan 2026 03:05:35 GMT"
	m := answer(t, http.StatusServiceUnavailable, "", "Date", date, "Retry-After", later, "Retry-After", later)
	require.Equal(t, 90*time.Second, refused(t, m, "").RetryAfter)
}
