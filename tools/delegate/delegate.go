package delegate

import (
	"context"
	"encoding/json"
	"errors"

	"errand/tools"
)

// Name is what requests declare the tool by.
const Name = "delegate"

// MaxDepth is the largest depth that a worker may allow.
const MaxDepth = 10

// Arguments are those of a call.
type Arguments struct {
	// Task is what the delegated run is told: the only thing it knows.
	Task string `json:"task"`
	// Model and Instructions stay those of the run when they are left out.
	Model        string `json:"model,omitempty"`
	Instructions string `json:"instructions,omitempty"`
	// Tools are names among those that the run declares; nil is all but
	// delegate.
	Tools []string `json:"tools,omitempty"`
}

// Options come with the descriptor.
type Options struct {
	// MaxDepth is how many delegated runs may be below each other.
	MaxDepth int `json:"max_depth"`
}

const description = `Gives a task to another agent, waits until it is done and returns what that agent says at the end. ` +
	`The agent knows nothing of this conversation: put everything it needs into the task. ` +
	`Several calls of one answer are worked on at the same time.`

const parameters = `{"type":"object","properties":{` +
	`"task":{"type":"string","minLength":1,"description":"what to do, and everything that has to be known for it"},` +
	`"model":{"type":"string","minLength":1,"description":"another model than this one"},` +
	`"instructions":{"type":"string","description":"other instructions than these"},` +
	`"tools":{"type":"array","items":{"type":"string"},"description":"names of the tools that the agent gets, a member of a namespace as namespace.name, all tools of a server by its label; left out: all but delegate"}},` +
	`"required":["task"],"additionalProperties":false}`

// Source describes the tool.
type Source struct{ options json.RawMessage }

// New makes the source of a worker that allows this depth.
func New(maxDepth int) *Source {
	options, err := json.Marshal(Options{MaxDepth: maxDepth})
	if err != nil { // a number always encodes
		panic(err)
	}
	return &Source{options}
}

// Describe returns the descriptor of delegate. The call itself changes nothing:
// what the other run may do is decided call by call there, under the same plan.
func (s *Source) Describe(name string) (tools.Descriptor, bool) {
	if name != Name {
		return tools.Descriptor{}, false
	}
	return tools.Descriptor{
		ModelName: Name, Name: Name, Type: tools.TypePlatform, Owner: tools.OwnedByGateway,
		Description: description, Parameters: json.RawMessage(parameters), ParallelSafe: true,
		GatewayTool: tools.GatewayTool{Source: tools.SourceDelegate, Effect: tools.EffectRead, Options: s.options},
	}, true
}

// Prepare returns the arguments as they are.
func (*Source) Prepare(_ string, arguments []byte) ([]byte, error) { return arguments, nil }

// Execute refuses: no activity executes the tool.
func (*Source) Execute(context.Context, string, tools.Invocation) (tools.Output, error) {
	return tools.Output{}, errors.New("delegate is executed by the workflow of its run")
}
