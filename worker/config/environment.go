package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// environment is a set of variables, in the form that envconfig asks for.
type environment map[string]string

// newEnvironment reads lines such as os.Environ has. Of a variable that is given
// twice the last stands.
func newEnvironment(lines []string) environment {
	e := environment{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, "=")
		e[name] = value
	}
	return e
}

// temporal is the part that says how to connect.
func (e environment) temporal() *environment {
	part := environment{}
	for name, value := range e {
		if strings.HasPrefix(name, "TEMPORAL_") {
			part[name] = value
		}
	}
	return &part
}

// Environ lists the variables in order.
func (e environment) Environ() []string {
	all := make([]string, 0, len(e))
	for name, value := range e {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	return all
}

// LookupEnv finds one variable.
func (e environment) LookupEnv(name string) (string, bool) {
	value, ok := e[name]
	return value, ok
}

// reference is ${NAME}, or what looks like a failed attempt at one.
var (
	reference    = regexp.MustCompile(`\$\{([^}]*)\}?`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// expand replaces the ${NAME} references in a text. One that is not set, or
// empty, is an error: an empty credential would only show as a refusal in the
// middle of a run.
func (e environment) expand(text string) (string, error) {
	var faults []error
	expanded := reference.ReplaceAllStringFunc(text, func(found string) string {
		name := reference.FindStringSubmatch(found)[1]
		switch {
		case found[len(found)-1] != '}' || !variableName.MatchString(name):
			faults = append(faults, errors.New("holds a reference that is not of the form ${NAME}: write the name of a variable between ${ and }"))
		case e[name] == "":
			faults = append(faults, fmt.Errorf("${%s}: the environment variable is not set: set it, or remove the reference", name))
		}
		return e[name]
	})
	return expanded, errors.Join(faults...)
}
