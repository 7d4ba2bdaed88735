package harness

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const patience = 10 * time.Second

func hanging(model *ScriptedModel, want int) func() (bool, string) {
	return func() (bool, string) {
		n := model.Hanging()
		return n == want, fmt.Sprint(n, " hanging")
	}
}

func TestHangEndsWithTheClientOrWithRelease(t *testing.T) {
	t.Parallel()
	model := StartModel(t, Always(Say("late").Hang()))
	ctx, giveUp := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, model.URL()+"/responses", strings.NewReader(responsesFirst))
		if err == nil {
			var response *http.Response
			if response, err = http.DefaultClient.Do(request); err == nil {
				err = response.Body.Close()
			}
		}
		gone <- err
	}()
	Eventually(t, patience, hanging(model, 1), "the request hangs")
	giveUp()
	require.ErrorIs(t, <-gone, context.Canceled)
	Eventually(t, patience, hanging(model, 0), "the model notices that the client gave up")

	answered := make(chan string, 1)
	go func() {
		_, body, err := send(model.URL()+"/responses", responsesFirst)
		answered <- fmt.Sprint(body, err)
	}()
	Eventually(t, patience, hanging(model, 1), "the next request hangs")
	model.Release()
	model.Release()
	require.Contains(t, <-answered, "late")
	_, body := post(t, model.URL()+"/responses", responsesFirst)
	require.Contains(t, body, "late", "nothing hangs after Release")
}

func TestDropBreaksTheConnectionInTheMiddle(t *testing.T) {
	t.Parallel()
	model := StartModel(t, Always(Say("a text of some length").Drop()))
	for _, body := range []string{responsesFirst, streamed(responsesFirst)} {
		response, err := http.Post(model.URL()+"/responses", "application/json", strings.NewReader(body))
		require.NoError(t, err)
		part, err := io.ReadAll(response.Body)
		require.NoError(t, response.Body.Close())
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.NotEmpty(t, part)
		require.NotContains(t, string(part), "response.completed")
	}
}

func TestAfterDelaysTheAnswer(t *testing.T) {
	t.Parallel()
	model := StartModel(t, Always(Say("slow").After(150*time.Millisecond)))
	begin := time.Now()
	post(t, model.URL()+"/responses", responsesFirst)
	require.GreaterOrEqual(t, time.Since(begin), 150*time.Millisecond)
}

func TestBendingAnAnswerLeavesTheOriginal(t *testing.T) {
	t.Parallel()
	plain := Say("a")
	bent := plain.And(Say("b")).WithUsage(1, 2).WithHeader("X-A", "1").Truncated().Hang().Drop().After(time.Hour)
	bent.WithHeader("X-A", "2")
	require.Equal(t, Say("a"), plain)
	require.Equal(t, http.Header{"X-A": {"1"}}, bent.header)
}

func TestModelCanGoAwayAndComeBack(t *testing.T) {
	t.Parallel()
	model := NewScriptedModel(Always(Say("yes")))
	require.NoError(t, model.Start("127.0.0.1:0"))
	t.Cleanup(model.Close)
	post(t, model.URL()+"/responses", responsesFirst)
	model.Close()
	_, _, err := send(model.URL()+"/responses", responsesFirst)
	require.Error(t, err)

	require.NoError(t, model.Start(model.Address()))
	post(t, model.URL()+"/responses", responsesFirst)
	require.Len(t, model.Requests(), 2)

	second := NewScriptedModel(Always(Say("no")))
	require.ErrorContains(t, second.Start(model.Address()), "cannot listen on "+model.Address())
}

func TestCloseFreesWhatHangs(t *testing.T) {
	t.Parallel()
	model := StartModel(t, Always(Hang()))
	gone := make(chan error, 1)
	go func() {
		_, _, err := send(model.URL()+"/responses", responsesFirst)
		gone <- err
	}()
	Eventually(t, patience, hanging(model, 1), "the request hangs")
	model.Close()
	err := <-gone
	require.Error(t, err)
	require.NotErrorIs(t, err, context.DeadlineExceeded)
	Eventually(t, patience, hanging(model, 0), "the handler returns")
}
