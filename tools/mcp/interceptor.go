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

// interceptor stands between the library and a transport. It gives every
// request an id that no other worker uses and checks that the answer has it,
// returns when the context ends whatever the transport does, tells the server
// so, and keeps the server's own bytes.
type interceptor struct {
	prefix string
	next   atomic.Int64
	// cancelsByClosing is set where ending the stream is the cancelling.
	cancelsByClosing func() bool

	mu    sync.Mutex
	lost  chan struct{}
	cause *Failure // read after lost
	// single is true when no more than one request was open then.
	single bool
	// open are the requests that a transport is busy with, by their ids on the
	// wire.
	open map[string]*openRequest
}

// openRequest is a request that a transport is busy with.
type openRequest struct {
	*requestRecord
	// abandoned is true once nobody waits for it: it must not leave any more.
	abandoned bool
}

func newInterceptor(prefix string) *interceptor {
	return &interceptor{
		prefix: prefix, lost: make(chan struct{}), open: map[string]*openRequest{},
		cancelsByClosing: func() bool { return false },
	}
}

// markLost ends the connection: nothing that it carries can be relied on.
func (i *interceptor) markLost(f *Failure) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.isLost() {
		i.cause, i.single = f, len(i.open) <= 1
		close(i.lost)
	}
}

func (i *interceptor) isLost() bool {
	select {
	case <-i.lost:
		return true
	default:
		return false
	}
}

// markSent notes that a request leaves. It must not once the connection is lost:
// who waits for it may have sent it elsewhere. Nor once nobody waits for it.
func (i *interceptor) markSent(s *openRequest) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.isLost() || s.abandoned {
		return false
	}
	s.note(func(record *requestRecord) { record.sent = true })
	return true
}

// requestIn is the request that a message on the wire is. One that only names a
// request, such as its cancelling, is another message.
func (i *interceptor) requestIn(message []byte) *openRequest {
	head := message[:min(len(message), 128)] // the id comes before everything long
	if _, rest, found := bytes.Cut(head, []byte(`"id":"`+i.prefix)); found {
		number, _, _ := bytes.Cut(rest, []byte(`"`))
		i.mu.Lock()
		defer i.mu.Unlock()
		if s := i.open[i.prefix+string(number)]; s != nil {
			return s
		}
	}
	return &openRequest{requestRecord: &requestRecord{}} // a notification, or an answer to the server
}

// register adds a request. It is there until its transport has done with it,
// also if nobody waits for it any more.
func (i *interceptor) register(id string, record *requestRecord) (abandon, remove func()) {
	s := &openRequest{requestRecord: record}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.open[id] = s
	abandon = func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		s.abandoned = true
	}
	remove = func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.open, id)
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
func (i *interceptor) send(ctx context.Context, inner transport.Interface, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := i.sendOnce(ctx, inner, request)
	if err == nil && refusesItsOwn(request.Method, response.Error) {
		return i.sendOnce(ctx, inner, request)
	}
	return response, err
}

func (i *interceptor) sendOnce(ctx context.Context, inner transport.Interface, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	record := recordOf(ctx)
	outer := request.ID
	id := i.prefix + strconv.FormatInt(i.next.Add(1), 10)
	request.ID = mcp.NewRequestId(id)
	abandon, remove := i.register(id, record)
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
			i.cancel(ctx, inner, request)
		}
		return i.checkAnswer(record, request, outer, a)
	case <-i.lost:
		select {
		case a := <-answers: // it came just before, or was being written
			return i.checkAnswer(record, request, outer, a)
		case <-time.After(settleLimit):
			return nil, i.cause
		}
	case <-ctx.Done():
		i.cancel(ctx, inner, request)
		go i.watchStuck(answers)
		return nil, ctx.Err()
	}
}

// watchStuck loses a connection whose transport does not come back.
func (i *interceptor) watchStuck(answers <-chan answer) {
	timer := time.NewTimer(stuckAfter)
	defer timer.Stop()
	select {
	case <-answers:
	case <-i.lost:
	case <-timer.C:
		i.markLost(&Failure{Kind: Lost, Message: "the server does not read what it is sent"})
	}
}

func (i *interceptor) checkAnswer(record *requestRecord, request transport.JSONRPCRequest, outer mcp.RequestId, a answer) (*transport.JSONRPCResponse, error) {
	switch {
	case a.err != nil:
		return nil, a.err
	case a.response == nil:
		return nil, errors.New("the server ended the stream without an answer")
	case a.response.ID.String() != request.ID.String() && (!a.response.ID.IsNil() || a.response.Error == nil):
		i.markLost(&Failure{Kind: Malformed, Message: errWrongID.Error()})
		return nil, errWrongID
	}
	response := *a.response
	response.ID = outer
	record.note(func(record *requestRecord) {
		record.rpcError = response.Error
		record.result = response.Result
	})
	if response.Error == nil {
		response.Result = forLibrary(request.Method, response.Result)
	}
	return &response, nil
}

// cancel tells the server that nobody waits for a request any more.
func (i *interceptor) cancel(ctx context.Context, inner transport.Interface, request transport.JSONRPCRequest) {
	method := mcp.MCPMethod(request.Method)
	if method == mcp.MethodInitialize || method == mcp.MethodServerDiscover || i.cancelsByClosing() || i.isLost() {
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
		limited = withRecord(limited, &requestRecord{})
		_ = inner.SendNotification(limited, notification)
	}()
}

// notify passes the library's notifications on, but for its own cancellations:
// they name ids that the server has never seen.
func (i *interceptor) notify(ctx context.Context, inner transport.Interface, n mcp.JSONRPCNotification) error {
	if n.Method == string(mcp.MethodNotificationCancelled) {
		return nil
	}
	return inner.SendNotification(ctx, n)
}
