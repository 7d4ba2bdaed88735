package hosts

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheTimeoutOfAReadingIsNotTheEndOfTheCall(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(server.Close)
	r := NewReader(List{Names: []string{"127.0.0.1"}}, nil)
	r.timeout = 50 * time.Millisecond
	_, err := r.Read(t.Context(), server.URL, nil)
	require.ErrorContains(t, err, "did not answer within 50ms")
	require.NotErrorIs(t, err, context.DeadlineExceeded)
}

func TestAStarIsEveryPublicHost(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	_, err := NewReader(List{Names: []string{"*"}}, nil).Read(t.Context(), server.URL, nil)
	require.ErrorContains(t, err, "private address")
	page, err := NewReader(List{Names: []string{"*", "127.0.0.1"}}, nil).Read(t.Context(), server.URL, nil)
	require.NoError(t, err)
	require.Equal(t, "404 Not Found", page.Status)
}

func TestARuleSeesEveryAddressOnTheWay(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/end", http.StatusFound)
			return
		}
		_, _ = fmt.Fprint(w, "end")
	}))
	t.Cleanup(server.Close)
	r := NewReader(List{Names: []string{"127.0.0.1"}}, nil)
	refusing := func(path string) func(*url.URL) error {
		return func(u *url.URL) error {
			if u.Path == path {
				return errors.New("not " + path)
			}
			return nil
		}
	}
	_, err := r.Read(t.Context(), server.URL+"/", refusing("/"))
	require.EqualError(t, err, "not /")
	_, err = r.Read(t.Context(), server.URL+"/", refusing("/end"))
	require.ErrorContains(t, err, "redirect to "+server.URL+"/end: not /end")
	page, err := r.Read(t.Context(), server.URL+"/", refusing("/other"))
	require.NoError(t, err)
	require.Equal(t, server.URL+"/end", page.URL)
	require.Equal(t, "end", string(page.Body))
}
