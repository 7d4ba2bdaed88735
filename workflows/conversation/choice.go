package conversation

import (
	"encoding/json"

	"errand/tools"
	"errand/workflows/contract"
)

// ToolChoice is the choice of a round: a forced one applies to the first round
// only, and there is none without tools.
func ToolChoice(raw json.RawMessage, round, toolCount int) json.RawMessage {
	if raw == nil || toolCount == 0 {
		return nil
	}
	c, err := contract.ParseChoice(raw)
	if err != nil || round == 1 || !c.Forced() {
		return raw
	}
	if c.Type == "allowed_tools" {
		return relaxAllowed(raw)
	}
	return json.RawMessage(`"auto"`)
}

func relaxAllowed(raw json.RawMessage) json.RawMessage {
	fields, _ := tools.Object(raw)
	fields["mode"] = json.RawMessage(`"auto"`)
	relaxed, err := json.Marshal(fields)
	if err != nil {
		return json.RawMessage(`"auto"`)
	}
	return relaxed
}
