package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"errand/tools"
)

// key is what the tags of a field say.
type key struct {
	// variable goes before the key of the file; empty where there is none.
	variable string
	value    reflect.Type
}

// keysOf are the keys of a section.
func keysOf(section reflect.Type) map[string]key {
	all := map[string]key{}
	for _, f := range reflect.VisibleFields(section) {
		if name := f.Tag.Get("koanf"); name != "" && !f.Anonymous {
			all[name] = key{f.Tag.Get("env"), f.Type}
		}
	}
	return all
}

// variablePaths are the paths of the keys that have a variable, by its name.
func variablePaths(path string, section reflect.Type) map[string]string {
	all := map[string]string{}
	for name, k := range keysOf(section) {
		if k.variable != "" {
			all[k.variable] = joined(path, name)
		}
		if k.value.Kind() == reflect.Struct {
			maps.Copy(all, variablePaths(joined(path, name), k.value))
		}
	}
	return all
}

// unknownKeys names each key that no field stands for, and the known ones.
func unknownKeys(all *tools.Faults, path string, value any, t reflect.Type) {
	switch v := value.(type) {
	case map[string]any:
		if t.Kind() != reflect.Struct {
			return
		}
		known := keysOf(t)
		for name, inner := range v {
			k, ok := known[name]
			if !ok {
				all.Add(joined(path, name), "unknown key: known here are "+strings.Join(slices.Sorted(maps.Keys(known)), ", "))
				continue
			}
			unknownKeys(all, joined(path, name), inner, k.value)
		}
	case []any:
		if t.Kind() != reflect.Slice {
			return
		}
		for i, inner := range v {
			unknownKeys(all, fmt.Sprintf("%s[%d]", path, i), inner, t.Elem())
		}
	}
}

func joined(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
