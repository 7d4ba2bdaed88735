package mcp

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// tap stands between the library and a transport. It gives every request an id
// that no other worker uses and checks that the answer has it, returns when the
// context ends whatever the transport does, tells the server so, and keeps the
// server's own bytes.
type tap struct {
	prefix string
	next   atomic.Int64
	// quietCancel is set where ending the stream is the cancelling.
	quietCancel func() bool

	mu    sync.Mutex
	lost  chan struct{}
	cause *Failure // read after lost
	// single is true when no more than one request was open then.
	single bool
	// open are the requests that a transport is busy with, by their ids on the
	// wire.
	open map[string]*sent
}

// sent is one request of an exchange.
type sent struct {
	*exchange
	// abandoned is true once nobody waits for it: it must not leave any more.
	abandoned bool
}

func newTap(prefix string) *tap {
	return &tap{
		prefix: prefix, lost: make(chan struct{}), open: map[string]*sent{},
		quietCancel: func() bool { return false },
	}
}

// lose ends the connection: nothing that it carries can be relied on.
func (t *tap) lose(f *Failure) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.isLost() {
		t.cause, t.single = f, len(t.open) <= 1
		close(t.lost)
	}
}

func (t *tap) isLost() bool {
	select {
	case <-t.lost:
		return true
	default:
		return false
	}
}

// touch notes that a request leaves. It must not once the connection is lost:
// who waits for it may have sent it elsewhere. Nor once nobody waits for it.
func (t *tap) touch(s *sent) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isLost() || s.abandoned {
		return false
	}
	s.note(func(x *exchange) { x.touched = true })
	return true
}

// requestIn is the request that a message on the wire is. One that only names a
// request, such as its cancelling, is another message.
func (t *tap) requestIn(message []byte) *sent {
	head := message[:min(len(message), 128)] // the id comes before everything long
	if _, rest, found := bytes.Cut(head, []byte(`"id":"`+t.prefix)); found {
		number, _, _ := bytes.Cut(rest, []byte(`"`))
		t.mu.Lock()
		defer t.mu.Unlock()
		if s := t.open[t.prefix+string(number)]; s != nil {
			return s
		}
	}
	return &sent{exchange: &exchange{}} // a notification, or an answer to the server
}

// register adds a request. It is there until its transport has done with it,
// also if nobody waits for it any more.
func (t *tap) register(id string, x *exchange) (abandon, remove func()) {
	s := &sent{exchange: x}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[id] = s
	abandon = func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		s.abandoned = true
	}
	remove = func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.open, id)
	}
	return abandon, remove
}

type answer struct {
	response *transport.JSONRPCResponse
	err      error
}

const (
	// cancelLimit is how long telling a server that a request has ended may take.
	cancelLimit = 5 * time.Second
	// stuckAfter is how long a transport may take to notice the end of a
	// request; one that does not is blocked in a write.
	stuckAfter = 3 * time.Second
	// settleLimit is how long a transport may take to say what became of a
	// request when its connection has ended.
	settleLimit = 100 * time.Millisecond
)

var errWrongID = errors.New("the server answered with the id of another request")

// send makes a request, and asks once more a server that refuses the very
// version that it says it speaks: the library takes it for an old one.
func (t *tap) send(ctx context.Context, inner transport.Interface, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := t.once(ctx, inner, request)
	if err == nil && refusesItsOwn(request.Method, response.Error) {
		return t.once(ctx, inner, request)
	}
	return response, err
}

func (t *tap) once(ctx context.Context, inner transport.Interface, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	x := exchangeOf(ctx)
	outer := request.ID
	id := t.prefix + strconv.FormatInt(t.next.Add(1), 10)
	request.ID = mcp.NewRequestId(id)
	abandon, remove := t.register(id, x)
	defer abandon()
	answers := make(chan answer, 1)
	go func() {
		defer remove()
		response, err := inner.SendRequest(ctx, request)
		answers <- answer{response, err}
	}()
	select {
	case a := <-answers:
		if a.err != nil && ctx.Err() != nil {
			t.cancel(ctx, inner, request)
		}
		return t.judge(x, request, outer, a)
	case <-t.lost:
		select {
		case a := <-answers: // it came just before, or was being written
			return t.judge(x, request, outer, a)
		case <-time.After(settleLimit):
			return nil, t.cause
		}
	case <-ctx.Done():
		t.cancel(ctx, inner, request)
		go t.watchStuck(answers)
		return nil, ctx.Err()
	}
}

// watchStuck loses a connection whose transport does not come back.
func (t *tap) watchStuck(answers <-chan answer) {
	timer := time.NewTimer(stuckAfter)
	defer timer.Stop()
	select {
	case <-answers:
	case <-t.lost:
	case <-timer.C:
		t.lose(&Failure{Kind: Lost, Message: "the server does not read what it is sent"})
	}
}

func (t *tap) judge(x *exchange, request transport.JSONRPCRequest, outer mcp.RequestId, a answer) (*transport.JSONRPCResponse, error) {
	switch {
	case a.err != nil:
		return nil, a.err
	case a.response == nil:
		return nil, errors.New("the server ended the stream without an answer")
	case a.response.ID.String() != request.ID.String() && (!a.response.ID.IsNil() || a.response.Error == nil):
		t.lose(&Failure{Kind: Malformed, Message: errWrongID.Error()})
		return nil, errWrongID
	}
	response := *a.response
	response.ID = outer
	x.note(func(x *exchange) {
		x.rpc = response.Error
		x.result = response.Result
	})
	if response.Error == nil {
		response.Result = harmless(request.Method, response.Result)
	}
	return &response, nil
}

// cancel tells the server that nobody waits for a request any more.
func (t *tap) cancel(ctx context.Context, inner transport.Interface, request transport.JSONRPCRequest) {
	method := mcp.MCPMethod(request.Method)
	if method == mcp.MethodInitialize || method == mcp.MethodServerDiscover || t.quietCancel() || t.isLost() {
		return
	}
	reason := "cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		reason = "timed out"
	}
	notification := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: string(mcp.MethodNotificationCancelled),
		Params: mcp.NotificationParams{AdditionalFields: map[string]any{"requestId": request.ID, "reason": reason}},
	}}
	go func() {
		limited, end := context.WithTimeout(context.WithoutCancel(ctx), cancelLimit)
		defer end()
		limited = withExchange(limited, &exchange{})
		_ = inner.SendNotification(limited, notification)
	}()
}

// notify passes the library's notifications on, but for its own cancellations:
// they name ids that the server has never seen.
func (t *tap) notify(ctx context.Context, inner transport.Interface, n mcp.JSONRPCNotification) error {
	if n.Method == string(mcp.MethodNotificationCancelled) {
		return nil
	}
	return inner.SendNotification(ctx, n)
}
