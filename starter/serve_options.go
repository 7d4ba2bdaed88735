package starter

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"errand/tools"
)

// NoHandlerPolicy says what Serve does with a call to a tool that has no
// handler.
type NoHandlerPolicy int

const (
	// Refuse answers the call with the error NoHandler, for the model to read.
	Refuse NoHandlerPolicy = iota
	// Leave leaves the call open, for another process or a person.
	Leave
	// Fail ends Serve with a *NoHandlerError and leaves the call open.
	Fail
)

// Decide answers an approval request. An error leaves the request open; it is
// asked again after a pause as long as a lease.
type Decide func(ctx context.Context, approval OpenApproval) (approve bool, reason string, err error)

// ServeOption changes one Serve.
type ServeOption func(*serveOptions)

type serveOptions struct {
	concurrency int
	lease       time.Duration
	owner       string
	noHandler   NoHandlerPolicy
	decide      Decide
	// perRun and matching are for ServeAll.
	perRun   int
	matching string
	// required has the arguments that must be there, by handler name.
	required map[string][]string
}

// Concurrency bounds the calls that are executed at the same time; the default
// is 5, for ServeAll 20, the least 1.
func Concurrency(n int) ServeOption { return func(o *serveOptions) { o.concurrency = max(n, 1) } }

// PerRun bounds the calls of one run that ServeAll executes at the same time;
// the default is 5, the least 1.
func PerRun(n int) ServeOption { return func(o *serveOptions) { o.perRun = max(n, 1) } }

// Matching has ServeAll serve the runs that a Temporal visibility query picks,
// in place of those of the task queue. That they are runs, and go on, need not
// be said.
func Matching(query string) ServeOption { return func(o *serveOptions) { o.matching = query } }

// Lease is for how long a call is claimed at a time; the default is 30 s, the
// least 1 s. The claim is renewed at a third of it while the handler runs, each
// time for longer, up to ten minutes: a run takes 2,000 updates in all. It is
// how long a call waits for the next process after this one has crashed. A
// handler whose claim could not be renewed before it ran out is interrupted:
// another process may have taken the call.
func Lease(d time.Duration) ServeOption {
	return func(o *serveOptions) { o.lease = min(max(d, time.Second), tools.MaxDuration) }
}

// Owner names who claims. The default is new for every Serve: host, process and
// something random. Two that serve at the same time must not share a name. A
// process that comes back under the same name takes its own claims over at
// once, without waiting for their leases.
func Owner(name string) ServeOption { return func(o *serveOptions) { o.owner = name } }

// OnNoHandler sets the policy for tools without a handler; the default is
// Refuse, for ServeAll Leave.
func OnNoHandler(policy NoHandlerPolicy) ServeOption {
	return func(o *serveOptions) { o.noHandler = policy }
}

// OnApproval lets Serve answer approval requests too; by default it leaves
// them alone. decide may take its time: it does not count as a call.
func OnApproval(decide Decide) ServeOption { return func(o *serveOptions) { o.decide = decide } }

func newServeOptions(options []ServeOption) serveOptions {
	o := serveOptions{concurrency: 5, perRun: 5, lease: 30 * time.Second, owner: newOwner()}
	for _, option := range options {
		if option != nil {
			option(&o)
		}
	}
	return o
}

func newOwner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s-%d-%s", host, os.Getpid(), strings.ToLower(rand.Text()[:8]))
}

// Require names arguments that every call of a tool must have. A call that
// lacks one is answered with the error InvalidArguments, which names them, and
// its handler is not called. An argument is missing if it is absent,
// null or an empty text: the last two may be valid for the tool's schema, which
// the worker has checked. The tool is named as in Handlers.
func Require(tool string, arguments ...string) ServeOption {
	return func(o *serveOptions) { o.require(tool, arguments) }
}

// RequireDeclared is Require for every argument that the declarations list as
// required.
func RequireDeclared(declarations ...Tool) ServeOption {
	return func(o *serveOptions) {
		for _, t := range declarations {
			text, err := json.Marshal(t)
			if err != nil {
				continue // Start says what is wrong with it
			}
			var d declaration
			if json.Unmarshal(text, &d) == nil {
				d.require(o, "")
			}
		}
	}
}

// declaration is what matters here of a tool in a request.
type declaration struct {
	Name       string `json:"name"`
	Parameters struct {
		Required []string `json:"required"`
	} `json:"parameters"`
	Tools []declaration `json:"tools"`
}

func (d declaration) require(o *serveOptions, prefix string) {
	o.require(prefix+d.Name, d.Parameters.Required)
	for _, member := range d.Tools {
		member.require(o, prefix+d.Name+".")
	}
}

func (o *serveOptions) require(tool string, arguments []string) {
	if len(arguments) == 0 {
		return
	}
	if o.required == nil {
		o.required = map[string][]string{}
	}
	for _, name := range arguments {
		if !slices.Contains(o.required[tool], name) {
			o.required[tool] = append(o.required[tool], name)
		}
	}
}

// missing lists the required arguments that a call lacks, in the order in which
// they are required.
func (o *serveOptions) missing(m Manifest) []string {
	required := o.required[handlerName(m)]
	if len(required) == 0 || m.Input != nil {
		return nil
	}
	var given map[string]json.RawMessage
	if json.Unmarshal(m.Args, &given) != nil {
		given = nil
	}
	var missing []string
	for _, name := range required {
		if value := string(given[name]); value == "" || value == "null" || value == `""` {
			missing = append(missing, name)
		}
	}
	return missing
}

func lacking(tool string, missing []string) error {
	return fmt.Errorf("the call of '%s' lacks required arguments: %s", tool, strings.Join(missing, ", "))
}
