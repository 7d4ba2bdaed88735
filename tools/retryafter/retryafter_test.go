package retryafter_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/tools/retryafter"
)

func TestRetryAfterIsReadInEveryForm(t *testing.T) {
	t.Parallel()
	const date, later = "Fri, 02 Jan 2026 03:04:05 GMT", "Fri, 02 Jan 2026 03:05:35 GMT"
	now, err := http.ParseTime("Fri, 02 Jan 2026 03:04:35 GMT")
	require.NoError(t, err)
	const decades = (1 << 30) * time.Second
	tests := map[string]struct {
		headers []string
		want    time.Duration
		asked   bool
	}{
		"none":                   {nil, 0, false},
		"seconds":                {[]string{"Retry-After", "7"}, 7 * time.Second, true},
		"zero":                   {[]string{"Retry-After", "0"}, 0, true},
		"fraction":               {[]string{"Retry-After", " 1.5 "}, 1500 * time.Millisecond, true},
		"a day":                  {[]string{"Retry-After", "86400"}, 24 * time.Hour, true},
		"milliseconds":           {[]string{"Retry-After-Ms", "250", "Retry-After", "7"}, 250 * time.Millisecond, true},
		"milliseconds, bad":      {[]string{"Retry-After-Ms", "soon", "Retry-After", "7"}, 7 * time.Second, true},
		"date":                   {[]string{"Retry-After", later, "Date", date}, 90 * time.Second, true},
		"date, by our own clock": {[]string{"Retry-After", later}, time.Minute, true},
		"date in the past":       {[]string{"Retry-After", date, "Date", later}, 0, true},
		"date, repeated":         {[]string{"Retry-After", later, "Retry-After", later, "Date", date}, 90 * time.Second, true},
		"date far away":          {[]string{"Retry-After", "Fri, 02 Jan 9999 03:04:05 GMT", "Date", date}, decades, true},
		"out of range":           {[]string{"Retry-After", "1e999"}, decades, true},
		"beyond a duration":      {[]string{"Retry-After", "1e30"}, decades, true},
		"beyond, in ms":          {[]string{"Retry-After-Ms", "1e30"}, decades, true},
		"negative":               {[]string{"Retry-After", "-5"}, 0, true},
		"negative, in ms":        {[]string{"Retry-After-Ms", "-5"}, 0, true},
		"not a number":           {[]string{"Retry-After", "NaN"}, 0, false},
		"nonsense":               {[]string{"Retry-After", "tomorrow"}, 0, false},
		"repeated, one good":     {[]string{"Retry-After", "soon", "Retry-After", "7"}, 7 * time.Second, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			for i := 0; i+1 < len(test.headers); i += 2 {
				header.Add(test.headers[i], test.headers[i+1])
			}
			wait, asked := retryafter.Wait(header, now)
			require.Equal(t, test.want, wait)
			require.Equal(t, test.asked, asked)
		})
	}
}
