package worker

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"errand/tools"
)

// section reads one mapping of the configuration. A key that is absent or null
// leaves its target as it is; finish reports the keys that nobody asked for.
type section struct {
	path   string // empty at the top
	values map[string]any
	// named maps a path to the environment variable that it came from.
	named  map[string]string
	faults *tools.Faults
	known  []string
}

func (s *section) at(key string) string {
	full := key
	if s.path != "" {
		full = s.path + "." + key
	}
	if variable, ok := s.named[full]; ok {
		return variable
	}
	return full
}

func (s *section) take(key string) (any, bool) {
	s.known = append(s.known, key)
	value := s.values[key]
	return value, value != nil
}

// wrong reports a value of another type than want. The value stays out of the
// message: it may be a secret.
func (s *section) wrong(key string, value any, want string) {
	s.faults.Add(s.at(key), fmt.Sprintf("must be %s, not %s", want, kind(value)))
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

// plain reads a string as it is, for what must not appear in a message.
func (s *section) plain(key string) (string, bool) {
	value, given := s.take(key)
	if !given {
		return "", false
	}
	text, ok := value.(string)
	if !ok {
		s.wrong(key, value, "a string in quotes")
	}
	return text, ok
}

func (s *section) text(key string, target *string, check check) {
	value, ok := s.plain(key)
	if !ok {
		return
	}
	reportText(s.faults, s.at(key), value, check)
	*target = value
}

func (s *section) duration(key string, target *time.Duration) {
	value, given := s.take(key)
	if !given {
		return
	}
	const want = `must be a duration such as "90s" or "5m"`
	text, ok := value.(string)
	d, err := time.ParseDuration(text)
	if !ok || err != nil || d < 0 {
		s.faults.Add(s.at(key), fmt.Sprintf("%v: %s", quoted(value), want))
		return
	}
	if complaint := tools.DurationFault(d); complaint != "" {
		s.faults.Add(s.at(key), complaint)
	}
	*target = min(d, tools.MaxDuration)
}

// flag reads true or false. A variable holds it as text.
func (s *section) flag(key string, target *bool) {
	value, given := s.take(key)
	if !given {
		return
	}
	switch value {
	case true, "true":
		*target = true
	case false, "false":
		*target = false
	default:
		s.faults.Add(s.at(key), fmt.Sprintf("%v: must be true or false", quoted(value)))
	}
}

// amount reads an amount of money.
func (s *section) amount(key string, target *float64) {
	value, given := s.take(key)
	if !given {
		return
	}
	amount, ok := value.(float64)
	if whole, isWhole := value.(int); isWhole {
		amount, ok = float64(whole), true
	}
	if !ok || checkAmount(amount) != "" {
		s.faults.Add(s.at(key), fmt.Sprintf("%v: %s", quoted(value), amountWanted))
		return
	}
	*target = amount
}

func (s *section) count(key string, target *int) {
	value, given := s.take(key)
	if !given {
		return
	}
	n, ok := value.(int)
	if !ok || n < 1 {
		s.faults.Add(s.at(key), fmt.Sprintf("%v: must be a whole number from 1 on", quoted(value)))
		return
	}
	*target = n
}

// quoted shows a simple value as it was written, and of others the kind.
func quoted(value any) any {
	switch v := value.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case bool, int, int64, uint64, float64:
		return v
	}
	return kind(value)
}

func (s *section) texts(key string, target *[]string, check check) {
	value, given := s.take(key)
	if !given {
		return
	}
	list, ok := value.([]any)
	if !ok {
		s.wrong(key, value, "a list of strings")
		return
	}
	all := make([]string, 0, len(list))
	for i, one := range list {
		text, ok := one.(string)
		complaint := "must be a string"
		if ok {
			complaint = check(text)
		}
		if complaint != "" {
			s.faults.Add(fmt.Sprintf("%s[%d]", s.at(key), i), fmt.Sprintf("%v: %s", quoted(one), complaint))
		}
		all = append(all, text)
	}
	*target = all
}

// in reads a mapping inside this one; an empty one if there is none.
func (s *section) in(key string) *section {
	value, given := s.take(key)
	inner := &section{path: s.at(key), named: s.named, faults: s.faults}
	if !given {
		return inner
	}
	values, ok := value.(map[string]any)
	if !ok {
		s.wrong(key, value, "a mapping")
	}
	inner.values = values
	return inner
}

// each reads a list of mappings.
func (s *section) each(key string) []*section {
	value, given := s.take(key)
	if !given {
		return nil
	}
	list, ok := value.([]any)
	if !ok {
		s.wrong(key, value, "a list of mappings")
		return nil
	}
	var all []*section
	for i, one := range list {
		values, ok := one.(map[string]any)
		place := fmt.Sprintf("%s[%d]", key, i)
		if !ok {
			s.wrong(place, one, "a mapping")
			continue
		}
		all = append(all, &section{path: s.at(place), values: values, named: s.named, faults: s.faults})
	}
	return all
}

// keys are those of the mapping, in order, whoever asked for them.
func (s *section) keys() []string {
	all := make([]string, 0, len(s.values))
	for key := range s.values {
		all = append(all, key)
	}
	slices.Sort(all)
	return all
}

func (s *section) finish() {
	for _, key := range s.keys() {
		if !slices.Contains(s.known, key) {
			s.faults.Add(s.at(key), "unknown key: known here are "+strings.Join(s.known, ", "))
		}
	}
}
