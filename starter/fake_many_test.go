package starter

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
)

// fakeMany is a server with many runs on it.
type fakeMany struct {
	client.Client
	mu   sync.Mutex
	runs map[string]*fake
	// listErr is what lists get.
	listErr error
	// pending is what runs say of themselves, if they do; indexed says that the
	// server knows the search attribute.
	pending map[string]int
	indexed bool
	queries []string // visibility queries
	// unreadable runs answer what is no report.
	unreadable map[string]bool

	looks, reports, lists atomic.Int64
}

func newFakeMany() *fakeMany {
	return &fakeMany{runs: map[string]*fake{}, pending: map[string]int{}, unreadable: map[string]bool{}}
}

// start adds a run with open calls to a tool.
func (m *fakeMany) start(id, tool string, calls int) *fake {
	f := newFake()
	for i := range calls {
		f.open(fmt.Sprintf("act_1_%d", i), tool)
	}
	f.happen() // something has always happened
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs[id] = f
	return f
}

func (m *fakeMany) find(id string) (*fake, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f, found := m.runs[id]; found {
		return f, nil
	}
	return nil, serviceerror.NewNotFound("workflow not found")
}

// do changes the server.
func (m *fakeMany) do(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
}

func (m *fakeMany) ListWorkflow(_ context.Context, r *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	m.lists.Add(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queries = append(m.queries, r.GetQuery())
	if m.listErr != nil {
		return nil, m.listErr
	}
	counted := strings.Contains(r.GetQuery(), "ErrandPendingCalls")
	if strings.Contains(r.GetQuery(), "bad query") || counted && !m.indexed {
		return nil, serviceerror.NewInvalidArgument("bad query")
	}
	page := &workflowservice.ListWorkflowExecutionsResponse{}
	for id, f := range m.runs {
		f.mu.Lock()
		open, says := m.pending[id]
		if !f.isClosed() && (!counted || !says || open > 0) {
			page.Executions = append(page.Executions, &workflowpb.WorkflowExecutionInfo{
				Execution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: fmt.Sprintf("%p", f)},
			})
		}
		f.mu.Unlock()
	}
	return page, nil
}

func (m *fakeMany) CountWorkflow(ctx context.Context, r *workflowservice.CountWorkflowExecutionsRequest) (*workflowservice.CountWorkflowExecutionsResponse, error) {
	r.Namespace = "default"
	return nil, ctx.Err()
}

func (m *fakeMany) WorkflowService() workflowservice.WorkflowServiceClient {
	return fakeService{find: m.find}
}

func (m *fakeMany) DescribeWorkflow(ctx context.Context, id, run string) (*client.WorkflowExecutionDescription, error) {
	m.looks.Add(1)
	f, err := m.find(id)
	if err != nil {
		return nil, err
	}
	return f.DescribeWorkflow(ctx, id, run)
}

func (m *fakeMany) QueryWorkflow(ctx context.Context, id, run, name string, args ...any) (converter.EncodedValue, error) {
	m.reports.Add(1)
	f, err := m.find(id)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	bad := m.unreadable[id]
	m.mu.Unlock()
	if bad {
		return value([]int{1}), nil
	}
	return f.QueryWorkflow(ctx, id, run, name, args...)
}

func (m *fakeMany) UpdateWorkflow(ctx context.Context, o client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	f, err := m.find(o.WorkflowID)
	if err != nil {
		return nil, err
	}
	return f.UpdateWorkflow(ctx, o)
}

func (m *fakeMany) SignalWorkflow(context.Context, string, string, string, any) error { return nil }

// servingAll runs ServeAll in the background; the channel gives its error.
func (m *fakeMany) servingAll(ctx context.Context, handlers Handlers, options ...ServeOption) chan error {
	done := make(chan error, 1)
	go func() { done <- New(m).ServeAll(ctx, handlers, options...) }()
	return done
}

func (f *fake) answered() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.answers)
}

// pass lets a while of the bubble's time go by, and everything that is due
// happen. What the test has read so far counts as read before.
func (m *fakeMany) pass(d time.Duration) {
	m.do(func() {
		for _, f := range m.runs {
			f.do(func() {})
		}
	})
	wait(d)
	synctest.Wait()
}

// wait lets a while of the bubble's time go by.
func wait(d time.Duration) { <-time.After(d) }
