package harness

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// post sends a body and returns the answer, read to its end.
func post(t *testing.T, url, body string) (head, string) {
	t.Helper()
	head, answer, err := send(url, body)
	require.NoError(t, err)
	return head, answer
}

// head is what comes before the body of an answer.
type head struct {
	StatusCode int
	Header     http.Header
}

// send is post for other goroutines than the test's own.
func send(url, body string) (head, string, error) {
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return head{}, "", err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	return head{response.StatusCode, response.Header}, string(answer), err
}

// said is what an answer says, whichever dialect it is in.
type said struct {
	Text      string
	Reasoning string
	Calls     []ToolCall
	Stop      string
	Tokens    int
}

func readResponses(t *testing.T, body string) said {
	t.Helper()
	var object struct {
		Status string `json:"status"`
		Output []struct {
			Type, Name, Arguments string
			CallID                string `json:"call_id"`
			Content, Summary      []struct{ Text string }
		} `json:"output"`
		Usage struct {
			TotalTokens int `json:"total_tokens"`
		} `json:"usage"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &object), body)
	answer := said{Stop: object.Status, Tokens: object.Usage.TotalTokens}
	for _, item := range object.Output {
		switch item.Type {
		case "message":
			answer.Text += item.Content[0].Text
		case "reasoning":
			answer.Reasoning += item.Summary[0].Text
		case "function_call":
			answer.Calls = append(answer.Calls, ToolCall{item.CallID, item.Name, item.Arguments})
		}
	}
	return answer
}

func readChat(t *testing.T, body string) said {
	t.Helper()
	var object struct {
		Choices []struct {
			Message      json.RawMessage `json:"message"`
			FinishReason string          `json:"finish_reason"`
		} `json:"choices"`
		Usage chatUsage `json:"usage"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &object), body)
	var message chatAnswer
	require.NoError(t, json.Unmarshal(object.Choices[0].Message, &message), body)
	answer := said{Reasoning: message.Reasoning, Stop: object.Choices[0].FinishReason, Tokens: object.Usage.TotalTokens}
	if message.Content != nil {
		answer.Text = *message.Content
	}
	for _, call := range message.ToolCalls {
		answer.Calls = append(answer.Calls, ToolCall{call.ID, call.Function.Name, call.Function.Arguments})
	}
	return answer
}

// frame is one server-sent event.
type frame struct{ event, data string }

func readFrames(t *testing.T, body string) []frame {
	t.Helper()
	var frames []frame
	var now frame
	lines := bufio.NewScanner(strings.NewReader(body))
	for lines.Scan() {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "event: "):
			now.event = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			now.data = line[len("data: "):]
		case line == "":
			frames = append(frames, now)
			now = frame{}
		default:
			require.Fail(t, "not a line of an event stream", line)
		}
	}
	require.NoError(t, lines.Err())
	require.Zero(t, now, "the last frame lacks its blank line")
	return frames
}
