package mcpconfig

import (
	"fmt"
	"regexp"
	"strings"

	"errand/tools"
)

// reference is ${NAME}, ${env:NAME} or ${secret:name}, or what looks like a
// failed attempt at one.
var (
	reference = regexp.MustCompile(`\$\{([^}]*)\}?`)
	variable  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// Lookup finds a variable of the environment, or a secret.
type Lookup func(name string) (string, bool)

// resolver replaces references in the text of a configuration.
type resolver struct {
	environment Lookup
	secrets     Lookup
	faults      *tools.Faults
}

// resolve replaces every reference in text. One to nothing is a fault at the
// place given: an empty credential would only show in the middle of a run.
func (r resolver) resolve(at, text string) string {
	return reference.ReplaceAllStringFunc(text, func(found string) string {
		name := reference.FindStringSubmatch(found)[1]
		secret, isSecret := strings.CutPrefix(name, "secret:")
		name = strings.TrimPrefix(name, "env:")
		switch {
		case found[len(found)-1] != '}':
			r.faults.Add(at, "holds a reference that is not closed: write ${NAME} or ${secret:name}")
		case isSecret:
			if value, ok := r.secrets(secret); ok {
				return value
			}
			r.faults.Add(at, fmt.Sprintf("${secret:%s}: the worker's configuration has no secret of this name", secret))
		case !variable.MatchString(name):
			r.faults.Add(at, "holds a reference that is not of the form ${NAME} or ${secret:name}")
		default:
			if value, ok := r.environment(name); ok && value != "" {
				return value
			}
			r.faults.Add(at, fmt.Sprintf("${%s}: the environment variable is not set: set it, or remove the reference", name))
		}
		return ""
	})
}

// ExpandSecrets replaces ${secret:name} in what a request brings. A request
// cannot read the worker's environment. literal tells that there was text
// beside or instead of a reference.
func ExpandSecrets(text string, secrets Lookup) (value string, literal bool, err error) {
	var missing []string
	value = reference.ReplaceAllStringFunc(text, func(found string) string {
		name, ok := strings.CutPrefix(reference.FindStringSubmatch(found)[1], "secret:")
		if !ok {
			return found
		}
		secret, known := secrets(name)
		if !known {
			missing = append(missing, name)
		}
		return secret
	})
	if len(missing) > 0 {
		return "", false, fmt.Errorf("the worker's configuration has no secret %q", missing[0])
	}
	rest := reference.ReplaceAllString(text, "")
	rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), "Bearer"))
	return value, rest != "", nil
}
