package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	_ "time/tzdata"

	"errand/tools"
	"errand/tools/platform"
)

// nowTool tells the time. The binary carries the time zones (time/tzdata):
// a container may have none.
func nowTool() platform.Tool {
	type arguments struct {
		Timezone string `json:"timezone"`
	}
	return platform.Tool{
		Name:        "now",
		Description: "Returns the current date and time in RFC 3339, in UTC or in a given time zone.",
		Parameters: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
			"timezone":{"type":"string","description":"IANA time zone such as Europe/Berlin; UTC if left out"}}}`),
		Effect: tools.EffectRead, ReadOnly: true, ParallelSafe: true,
		Execute: platform.Func(func(_ context.Context, in arguments) (any, error) {
			zone, err := time.LoadLocation(in.Timezone)
			if err != nil || in.Timezone == "Local" { // a worker's own zone means nothing to a model
				return nil, fmt.Errorf("timezone: %q is not an IANA time zone; use a name such as \"Europe/Berlin\", or leave it out for UTC", in.Timezone)
			}
			return time.Now().In(zone).Format(time.RFC3339), nil
		}),
	}
}
