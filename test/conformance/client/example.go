package main

import "encoding/json"

// example makes arguments that a schema takes. One scenario wants to have the
// schema of its first tool back, byte for byte, as the argument "schema".
func example(schema, first json.RawMessage) (json.RawMessage, error) {
	var of struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(schema, &of); err != nil {
		return nil, err
	}
	arguments := map[string]any{}
	for _, name := range of.Required {
		switch of.Properties[name].Type {
		case "number", "integer":
			arguments[name] = 7
		case "boolean":
			arguments[name] = true
		case "array":
			arguments[name] = []any{}
		case "object":
			arguments[name] = map[string]any{}
			if name == "schema" {
				arguments[name] = first
			}
		default:
			arguments[name] = "example"
		}
	}
	return json.Marshal(arguments)
}
