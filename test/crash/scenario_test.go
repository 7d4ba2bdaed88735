package crash

import (
	"time"

	"errand/starter"
	"errand/test/harness"
	"errand/tools"
)

// The scenario: four rounds, every kind of effect, calls beside each other and
// alone, some in a room that is opened for the run, two client calls of which
// one is answered by update and one by signal.
const (
	look  = "look"  // read
	apply = "apply" // idempotent
	pay   = "pay"   // once
	put   = "put"   // idempotent, in the room
	take  = "take"  // once, in the room
	ask   = "ask"   // the client's, answered by update
	sign  = "sign"  // the client's, answered by signal

	lastWord = "all done"
)

// What things take in the scenario: long enough to be hit in the middle.
const (
	effectTakes    = 120 * time.Millisecond
	inferenceTakes = 60 * time.Millisecond
)

var effects = map[string]tools.Effect{
	look: tools.EffectRead, apply: tools.EffectIdempotent, pay: tools.EffectOnce,
	put: tools.EffectIdempotent, take: tools.EffectOnce,
}

// calls are the effects of the scenario by their call ids.
var calls = map[deed]string{
	{look, `{"n":1}`}: "c1", {apply, `{"n":2}`}: "c2", {pay, `{"n":3}`}: "c3", {put, `{"n":4}`}: "c4",
	{apply, `{"n":6}`}: "c6", {put, `{"n":7}`}: "c7",
	{pay, `{"n":8}`}: "c8", {look, `{"n":10}`}: "c10", {take, `{"n":11}`}: "c11",
}

var answers = map[string]string{ask: "yes", sign: "signed"}

func script() harness.Script {
	turn := func(calls ...harness.ToolCall) harness.Answer { return harness.Calls(calls...).After(inferenceTakes) }
	call := func(id, name, arguments string) harness.ToolCall {
		return harness.ToolCall{ID: id, Name: name, Arguments: arguments}
	}
	return harness.Rounds(
		turn(call("c1", look, `{"n":1}`), call("c2", apply, `{"n":2}`), call("c3", pay, `{"n":3}`), call("c4", put, `{"n":4}`)),
		turn(call("c5", ask, `{}`), call("c6", apply, `{"n":6}`), call("c7", put, `{"n":7}`)),
		turn(call("c8", pay, `{"n":8}`), call("c9", sign, `{}`), call("c10", look, `{"n":10}`), call("c11", take, `{"n":11}`)),
		harness.Say(lastWord).After(inferenceTakes),
	)
}

func request(options starter.RunOptions) starter.Request {
	return starter.Request{
		Model: "m", Input: "go", Run: options,
		Tools: []starter.Tool{
			starter.Platform(look), starter.Platform(apply), starter.Platform(pay),
			starter.Platform(put), starter.Platform(take),
			starter.Function(ask, "", nil), starter.Function(sign, "", nil),
		},
	}
}
