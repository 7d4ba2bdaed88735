package crash

import (
	"time"

	"errand/starter"
	"errand/test/harness"
	"errand/tools"
)

// The scenario: four rounds, every kind of effect, calls beside each other and
// alone, two client calls of which one is answered by update and one by
// signal.
const (
	look  = "look"  // read
	apply = "apply" // idempotent
	pay   = "pay"   // once
	ask   = "ask"   // the client's, answered by update
	sign  = "sign"  // the client's, answered by signal

	lastWord = "all done"
)

// What things take in the scenario: long enough to be hit in the middle.
const (
	effectTakes    = 120 * time.Millisecond
	inferenceTakes = 60 * time.Millisecond
)

var effects = map[string]tools.Effect{look: tools.EffectRead, apply: tools.EffectIdempotent, pay: tools.EffectOnce}

var answers = map[string]string{ask: "yes", sign: "signed"}

func script() harness.Script {
	turn := func(calls ...harness.ToolCall) harness.Answer { return harness.Calls(calls...).After(inferenceTakes) }
	call := func(id, name, arguments string) harness.ToolCall {
		return harness.ToolCall{ID: id, Name: name, Arguments: arguments}
	}
	return harness.Rounds(
		turn(call("c1", look, `{"n":1}`), call("c2", apply, `{"n":2}`), call("c3", pay, `{"n":3}`)),
		turn(call("c4", ask, `{}`), call("c5", apply, `{"n":5}`)),
		turn(call("c6", pay, `{"n":6}`), call("c7", sign, `{}`), call("c8", look, `{"n":8}`)),
		harness.Say(lastWord).After(inferenceTakes),
	)
}

func request() starter.Request {
	return starter.Request{
		Model: "m", Input: "go",
		Tools: []starter.Tool{
			starter.Platform(look), starter.Platform(apply), starter.Platform(pay),
			starter.Function(ask, "", nil), starter.Function(sign, "", nil),
		},
	}
}
