package openaimodel_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/activities/model"
	"errand/activities/openaimodel"
)

// stalled says something and then nothing until its client gives up.
func stalled(t *testing.T, said string) *modelServer {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		if said != "" {
			_, _ = io.WriteString(w, said)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	})
}

func TestStalledStreamIsNoticed(t *testing.T) {
	t.Parallel()
	for name, said := range map[string]string{
		"before the headers": "", "in a comment": ": wait", "in a word": "da", "in an event": `data: {"type":"respo`,
		"after an event": frames(created), "in space": "  ", "in a body": ` {"status":`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := build(t, openaimodel.Config{BaseURL: stalled(t, said).URL, Stream: true, IdleTimeout: 40 * time.Millisecond})
			_, err := client.Infer(t.Context(), model.Request{Model: "m"})
			require.ErrorContains(t, err, "ask the model: ")
			require.ErrorContains(t, err, "the server sent nothing for 40ms and counts as stalled; raise the idle timeout")
			require.NotErrorIs(t, err, context.Canceled)
			var failure *model.Error
			require.NotErrorAs(t, err, &failure)
		})
	}
}

func TestAnswerIsWholeThoughTheServerStalls(t *testing.T) {
	t.Parallel()
	got, err := stalled(t, frames(bare)).streaming(t, "").Infer(t.Context(), model.Request{Model: "m"})
	require.NoError(t, err)
	require.Equal(t, model.FinishCompleted, got.Finish)
}

func TestErrorStatusIsReadThoughItsServerStalls(t *testing.T) {
	t.Parallel()
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, "who are you")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	client := build(t, openaimodel.Config{BaseURL: m.URL, Stream: true, IdleTimeout: 2 * time.Second})
	_, err := client.Infer(t.Context(), model.Request{Model: "m"})
	require.Equal(t, &model.Error{Status: 401, Message: "who are you", Permanent: true}, err)
}

func TestContextEndsAStreamFirst(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"", frames(created)} {
		client := build(t, openaimodel.Config{BaseURL: stalled(t, said).URL, Stream: true})
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		_, err := client.Infer(ctx, model.Request{Model: "m"})
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotContains(t, err.Error(), "sent nothing")

		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(30*time.Millisecond, cancel)
		_, err = client.Infer(ctx, model.Request{Model: "m"})
		require.ErrorIs(t, err, context.Canceled)
		require.NotContains(t, err.Error(), "sent nothing")
	}
	client := build(t, openaimodel.Config{BaseURL: stalled(t, frames(created)).URL, Stream: true, Timeout: 30 * time.Millisecond})
	_, err := client.Infer(t.Context(), model.Request{Model: "m"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "no answer within 30ms")
}
