package worker

import (
	"fmt"
	"regexp"

	"errand/tools"
)

// reference is ${NAME}, or what looks like a failed attempt at one.
var (
	reference = regexp.MustCompile(`\$\{([^}]*)\}?`)
	variable  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// resolve replaces the ${NAME} references in text by variables of the
// environment. One that is not set, or empty, is a fault at the place given:
// an empty credential would only show as a refusal in the middle of a run.
func resolve(at, text string, environment map[string]string, faults *tools.Faults) (string, bool) {
	before := len(*faults)
	resolved := reference.ReplaceAllStringFunc(text, func(found string) string {
		name := reference.FindStringSubmatch(found)[1]
		switch {
		case found[len(found)-1] != '}' || !variable.MatchString(name):
			faults.Add(at, "holds a reference that is not of the form ${NAME}: write the name of a variable between ${ and }")
		case environment[name] == "":
			faults.Add(at, fmt.Sprintf("${%s}: the environment variable is not set: set it, or remove the reference", name))
		}
		return environment[name]
	})
	return resolved, len(*faults) == before
}
