// Package plant breaks the worker of the tests on purpose, one fault at a time
// and only where the variable PLANT asks for it. The crash tests must find
// every one of these faults, or they would prove nothing.
package plant

import (
	"fmt"
	"os"

	"errand/tools"
)

// Env names the fault.
const Env = "PLANT"

// The faults.
const (
	// RepeatOnce has calls repeated that must run once.
	RepeatOnce = "repeat-once"
	// NewKey gives every attempt at a call a key of its own.
	NewKey = "new-key"
	// ForgetResult loses the result of every call that was attempted again.
	ForgetResult = "forget-result"
	// SkipRelease closes nothing that was opened, and says that it did.
	SkipRelease = "skip-release"
)

func is(fault string) bool { return os.Getenv(Env) == fault }

// Effect is what a tool declares.
func Effect(effect tools.Effect) tools.Effect {
	if effect == tools.EffectOnce && is(RepeatOnce) {
		return tools.EffectIdempotent
	}
	return effect
}

// Key is what a call carries to the world.
func Key(call tools.Invocation) string {
	if is(NewKey) {
		return fmt.Sprintf("%s/attempt-%d", call.Key, call.Attempt)
	}
	return call.Key
}

// Answer is what a call brings back.
func Answer(call tools.Invocation, text string) string {
	if call.Attempt > 1 && is(ForgetResult) {
		return ""
	}
	return text
}

// SkipsRelease tells whether what is to be closed stays open.
func SkipsRelease() bool { return is(SkipRelease) }
