package harness

import (
	"bytes"
	"encoding/json"
)

// encode marshals values that always can be: structs of plain fields and JSON
// that was decoded before. Like OpenAI it leaves <, > and & as they are.
func encode(value any) json.RawMessage {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic("harness: " + err.Error())
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte{'\n'})
}
