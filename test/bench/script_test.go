package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"

	"errand/tools/item"
	"errand/worker"
)

// job is what a run is asked to do: so many rounds of calls, then one last
// answer without any. Its JSON is the prompt, so the model needs nothing else.
type job struct {
	Rounds int    `json:"rounds"`
	Calls  int    `json:"calls"`
	Size   int    `json:"size"`
	Tool   string `json:"tool"`
	// Window is Errand's max_parallel_calls; 0 is its default.
	Window int `json:"-"`
}

func (j job) prompt() string {
	text, err := json.Marshal(j)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// reply is one answer of the model: calls, or a text if there are none.
type reply struct {
	calls []order
	text  string
	usage item.Usage
}

// order is one call that the model asks for.
type order struct{ id, tool, arguments string }

// script is the model of both engines. It writes down when it was asked, by
// workflow id: the time from one question to the next is that of a round.
type script struct {
	mu    sync.Mutex
	asked map[string][]time.Time
}

func newScript() *script { return &script{asked: map[string][]time.Time{}} }

// answer is a function of the prompt and of how many items the conversation
// has, the prompt included.
func (s *script) answer(ctx context.Context, prompt string, items int) (reply, error) {
	s.mark(activity.GetInfo(ctx).WorkflowExecution.ID)
	var j job
	if err := json.Unmarshal([]byte(prompt), &j); err != nil {
		return reply{}, fmt.Errorf("read the prompt: %w", err)
	}
	round := (items-1)/(2*j.Calls) + 1
	said := reply{usage: item.Usage{InputTokens: int64(100 * items), OutputTokens: 50, TotalTokens: int64(100*items + 50)}}
	if round > j.Rounds {
		said.text = "That is all."
		return said, nil
	}
	for i := range j.Calls {
		said.calls = append(said.calls, order{
			id:        fmt.Sprintf("call_%d_%d", round, i),
			tool:      j.Tool,
			arguments: fmt.Sprintf(`{"path":"notes/%d/%d.md","size":%d}`, round, i, j.Size),
		})
	}
	return said, nil
}

func (s *script) mark(workflowID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[workflowID] = append(s.asked[workflowID], time.Now())
}

// times are those of the inferences of one run so far.
func (s *script) times(workflowID string) []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Time(nil), s.asked[workflowID]...)
}

// Infer makes the script the model of an Errand worker.
func (s *script) Infer(ctx context.Context, request worker.ModelRequest) (worker.ModelAnswer, error) {
	said, err := s.answer(ctx, item.Text(request.Items[0]), len(request.Items))
	if err != nil {
		return worker.ModelAnswer{}, err
	}
	answer := worker.ModelAnswer{Usage: &said.usage}
	for _, c := range said.calls {
		answer.Items = append(answer.Items, item.FunctionCall(c.id, c.tool, c.arguments))
	}
	if said.text != "" {
		answer.Items = append(answer.Items, item.Message("assistant", said.text))
	}
	return answer, nil
}

// parameters is the schema of the tools' arguments.
const parameters = `{"type":"object","properties":{"path":{"type":"string"},"size":{"type":"integer","minimum":0}},"required":["path","size"]}`

// execute is what the tools of both engines do: they return as many bytes as
// the arguments ask for.
func execute(arguments []byte) (string, error) {
	var a struct{ Size int }
	if err := json.Unmarshal(arguments, &a); err != nil {
		return "", fmt.Errorf("read the arguments: %w", err)
	}
	return content(a.Size), nil
}

func content(size int) string {
	const line = "A line of the file, with a \"quoted\" word.\n"
	return strings.Repeat(line, size/len(line)+1)[:size]
}
