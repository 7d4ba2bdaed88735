package schema

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
)

var (
	numberText  = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
	integerText = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
)

// convert turns a value into one of the wanted type, if that loses nothing.
func convert(v any, want string) (any, bool) {
	switch want {
	case "number":
		return toNumber(v)
	case "integer":
		return toInteger(v)
	case "boolean":
		return toBoolean(v)
	case "string":
		return toString(v)
	case "array":
		result, ok := fromText(v).([]any)
		return result, ok
	case "object":
		result, ok := fromText(v).(map[string]any)
		return result, ok
	}
	return nil, false
}

func toNumber(v any) (any, bool) {
	switch v := v.(type) {
	case nil:
		return json.Number("0"), true
	case string:
		text := strings.TrimSpace(v)
		ok := numberText.MatchString(text) && !wildNumber(json.Number(text))
		return json.Number(text), ok
	}
	return nil, false
}

// toInteger writes 5.0 and 5e2 out in digits: a schema calls them integers, but
// most decoders do not.
func toInteger(v any) (any, bool) {
	number, ok := toNumber(v)
	if !ok {
		return nil, false
	}
	text := string(number.(json.Number))
	if integerText.MatchString(text) {
		return number, true
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok || !exact.IsInt() {
		return nil, false
	}
	return json.Number(exact.Num().String()), true
}

func toBoolean(v any) (any, bool) {
	switch v {
	case nil, "false", json.Number("0"):
		return false, true
	case "true", json.Number("1"):
		return true, true
	}
	return nil, false
}

func toString(v any) (any, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case bool:
		if v {
			return "true", true
		}
		return "false", true
	case json.Number:
		return v.String(), true
	}
	return nil, false
}

// fromText decodes JSON text. Models write an object or an array that way when
// they escape once too often.
func fromText(v any) any {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	value, err := decode([]byte(text), maxArgumentDepth)
	if err != nil || wildPath(value, nil) != nil {
		return nil
	}
	return value
}

func isInteger(v any) bool {
	number, ok := v.(json.Number)
	if !ok || wildNumber(number) {
		return false
	}
	if integerText.MatchString(string(number)) {
		return true
	}
	exact, ok := new(big.Rat).SetString(string(number))
	return ok && exact.IsInt()
}
