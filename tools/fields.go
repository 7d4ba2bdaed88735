package tools

import (
	"encoding/json"
	"fmt"
	"time"
)

// Field decodes one member into target; absent and null leave target as it is.
// A value of another type is a fault that says what was wanted.
func Field(fields map[string]json.RawMessage, path, name string, target any, want string, faults *Faults) {
	raw, given := fields[name]
	if !given || string(raw) == "null" {
		return
	}
	if json.Unmarshal(raw, target) != nil {
		faults.Add(memberPath(path, name), "must be "+want)
	}
}

// MaxDuration is the longest duration that is taken, ten years: sums with it stay
// in bounds.
const MaxDuration = 87600 * time.Hour

// tooLong ends the text of every fault about a longer duration.
const tooLong = `is too long: write at most "87600h"`

// DurationFault says what is wrong with a duration, and what to do; empty is
// nothing.
func DurationFault(d time.Duration) string {
	switch {
	case d < 0:
		return fmt.Sprintf("%s: must not be negative", d)
	case d > MaxDuration:
		return d.String() + " " + tooLong
	}
	return ""
}

// DurationField decodes a Go duration string that is not negative, and at most
// MaxDuration.
func DurationField(fields map[string]json.RawMessage, path, name string, target *time.Duration, faults *Faults) {
	text := ""
	before := len(*faults)
	Field(fields, path, name, &text, `a duration string such as "90s" or "72h"`, faults)
	if text == "" {
		if raw, given := fields[name]; given && string(raw) == `""` {
			faults.Add(memberPath(path, name), `must be a duration string such as "90s" or "72h"`)
		}
		return
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		if len(*faults) == before {
			faults.Add(memberPath(path, name), fmt.Sprintf(`%q is not a duration: write for example "90s" or "72h"`, text))
		}
		return
	}
	if d > MaxDuration {
		faults.Add(memberPath(path, name), fmt.Sprintf("%q %s", text, tooLong))
	}
	*target = min(d, MaxDuration)
}

func memberPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
