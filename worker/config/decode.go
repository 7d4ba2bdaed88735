package config

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/v2"

	"errand/activities/openaimodel"
	"errand/tools"
)

// layer is one place that settings are read from: the file or the environment.
type layer struct {
	tree *koanf.Koanf
	// references are what ${NAME} in its texts may stand for; nil where texts
	// are taken as they are.
	references environment
	// faults are under the paths of their keys.
	faults tools.Faults
}

// decode reads the layer over what target has already. A key that is absent or
// null leaves its field as it is.
func (l *layer) decode(target any) {
	err := l.tree.UnmarshalWithConf("", target, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		DecodeHook:           l.convert,
		MatchName:            func(key, field string) bool { return key == field },
		IgnoreUntaggedFields: true,
	}})
	l.fault("", err)
	unknownKeys(&l.faults, "", l.tree.Raw(), reflect.TypeOf(target).Elem())
}

// fault records every leaf of an error under the path of its value.
func (l *layer) fault(path string, err error) {
	switch e := err.(type) { //nolint:errorlint // every node of the tree is looked at
	case nil:
	case *mapstructure.DecodeError:
		l.fault(mapKey.ReplaceAllString(e.Name(), ".$1"), e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, part := range e.Unwrap() {
			l.fault(path, part)
		}
	case interface{ Unwrap() error }:
		l.fault(path, e.Unwrap())
	default:
		l.faults.Add(path, err.Error())
	}
}

// mapKey is a key of a map in the paths of mapstructure; places in lists are
// numbers.
var mapKey = regexp.MustCompile(`\[([^\]]*[^\]0-9][^\]]*)\]`)

// convert makes of a value what its field takes, or says what to write instead.
// It is asked about every value on the way down; what it lets through, the
// decoder takes apart.
func (l *layer) convert(from, to reflect.Value) (any, error) {
	value := from.Interface()
	switch target := to.Addr().Interface().(type) {
	case *modelSettings:
		target.BaseURL, target.API = defaultBaseURL, openaimodel.Responses
	case *time.Duration:
		return duration(value)
	case *Secret:
		text, err := text(value)
		if err != nil || l.references == nil {
			return text, err
		}
		return l.references.expand(text)
	case encoding.TextUnmarshaler:
		if err := target.UnmarshalText(fmt.Append(nil, value)); err != nil {
			return nil, instead(value, err.Error())
		}
		return to.Interface(), nil
	}
	switch to.Kind() { //nolint:exhaustive // there are no settings of other kinds
	case reflect.Struct, reflect.Map:
		if from.Kind() != reflect.Map {
			return nil, wrongKind(value, "a mapping")
		}
	case reflect.Slice:
		to.SetZero() // a list replaces the one below it
		return l.list(value, to.Type().Elem())
	case reflect.String:
		return text(value)
	case reflect.Bool:
		return flag(value)
	case reflect.Int:
		if n, ok := value.(int); !ok || n < 1 {
			return nil, instead(value, "must be a whole number from 1 on")
		}
	case reflect.Float64:
		if from.Kind() != reflect.Int && from.Kind() != reflect.Float64 {
			return nil, instead(value, wantAmount)
		}
	}
	return value, nil
}

// list is a list; a variable writes one by commas.
func (l *layer) list(value any, element reflect.Type) (any, error) {
	if text, ok := value.(string); ok && l.references == nil {
		all := []any{}
		for one := range strings.SplitSeq(text, ",") {
			if one = strings.TrimSpace(one); one != "" {
				all = append(all, one)
			}
		}
		return all, nil
	}
	if _, ok := value.([]any); ok {
		return value, nil
	}
	if element.Kind() == reflect.String {
		return nil, wrongKind(value, "a list of strings")
	}
	return nil, wrongKind(value, "a list of mappings")
}

func text(value any) (string, error) {
	if text, ok := value.(string); ok {
		return text, nil
	}
	return "", wrongKind(value, "a string in quotes")
}

func duration(value any) (time.Duration, error) {
	text, ok := value.(string)
	d, err := time.ParseDuration(text)
	if !ok || err != nil || d < 0 {
		return 0, instead(value, `must be a duration such as "90s" or "5m"`)
	}
	if fault := tools.DurationFault(d); fault != "" {
		return 0, errors.New(fault)
	}
	return d, nil
}

// flag is true or false. A variable holds it as text.
func flag(value any) (bool, error) {
	switch value {
	case true, "true":
		return true, nil
	case false, "false":
		return false, nil
	}
	return false, instead(value, "must be true or false")
}

// wrongKind is about a value of another kind. The value stays out of the message:
// it may be a secret.
func wrongKind(value any, want string) error {
	return fmt.Errorf("must be %s, not %s", want, kind(value))
}

// instead shows a simple value as it was written, and of others the kind.
func instead(value any, want string) error {
	switch value.(type) {
	case string:
		return fmt.Errorf("%q: %s", value, want)
	case bool, int, int64, uint64, float64:
		return fmt.Errorf("%v: %s", value, want)
	}
	return fmt.Errorf("%s: %s", kind(value), want)
}

func kind(value any) string {
	switch value.(type) {
	case string:
		return "a string"
	case bool:
		return "true or false"
	case int, int64, uint64, float64:
		return "a number"
	case time.Time:
		return "a date"
	case []any:
		return "a list"
	}
	return "a mapping"
}
