package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// phrase says what is wrong with a value, to go after its path. Numbers are
// exact: the library's own texts round them.
func phrase(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return wrongType(k.Want, k.Got)
	case *kind.Enum:
		return oneOf(k.Want)
	case *kind.Const:
		return oneOf([]any{k.Want})
	case *kind.Format:
		return "must be a valid " + k.Want
	case *kind.Pattern:
		return "must match the pattern " + shorten(k.Want, 200)
	case *kind.FalseSchema:
		return "is not allowed"
	case *kind.Not:
		return "has a form that the schema rules out"
	case *kind.RefCycle:
		return "cannot be checked: the schema refers to itself without end"
	case *kind.ContentEncoding:
		return "must be encoded as " + k.Want
	case *kind.ContentMediaType:
		return "must be of the media type " + k.Want
	}
	if text := sizePhrase(k); text != "" {
		return text
	}
	return "does not satisfy " + strings.Join(k.KeywordPath(), ".")
}

// sizePhrase is phrase for everything that counts or compares.
func sizePhrase(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return compared("at least", k.Want, k.Got)
	case *kind.Maximum:
		return compared("at most", k.Want, k.Got)
	case *kind.ExclusiveMinimum:
		return compared("greater than", k.Want, k.Got)
	case *kind.ExclusiveMaximum:
		return compared("less than", k.Want, k.Got)
	case *kind.MultipleOf:
		return compared("a multiple of", k.Want, k.Got)
	case *kind.MinLength:
		return counted("at least", k.Want, k.Got, "characters")
	case *kind.MaxLength:
		return counted("at most", k.Want, k.Got, "characters")
	case *kind.MinItems:
		return counted("at least", k.Want, k.Got, "items")
	case *kind.MaxItems:
		return counted("at most", k.Want, k.Got, "items")
	case *kind.MinProperties:
		return counted("at least", k.Want, k.Got, "properties")
	case *kind.MaxProperties:
		return counted("at most", k.Want, k.Got, "properties")
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %d items too many", k.Count)
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are equal, but must differ", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "has no item of the form that the schema asks for"
	case *kind.MinContains:
		return counted("at least", k.Want, len(k.Got), "items of the form that the schema asks for")
	case *kind.MaxContains:
		return counted("at most", k.Want, len(k.Got), "items of the form that the schema asks for")
	}
	return ""
}

func wrongType(want []string, got string) string {
	var distinct []string
	for _, one := range want {
		if !slices.Contains(distinct, one) {
			distinct = append(distinct, one)
		}
	}
	return fmt.Sprintf("must be %s, not %s", joinOr(distinct), got)
}

// maxWritten is how many values one issue lists.
const maxWritten = 30

func oneOf(values []any) string {
	var all []string
	for _, value := range values[:min(len(values), maxWritten)] {
		text, err := json.Marshal(value)
		if err != nil {
			text = fmt.Append(nil, value)
		}
		all = append(all, shorten(string(text), 100))
	}
	if more := len(values) - maxWritten; more > 0 {
		all = append(all, fmt.Sprintf("… and %d more", more))
	}
	if len(all) == 1 {
		return "must be " + all[0]
	}
	return "must be one of " + strings.Join(all, ", ")
}

func compared(relation string, want, got *big.Rat) string {
	return fmt.Sprintf("must be %s %s, not %s", relation, decimal(want), decimal(got))
}

func counted(relation string, want, got int, noun string) string {
	return fmt.Sprintf("must have %s %d %s, not %d", relation, want, noun, got)
}

// decimal writes a number with all its digits. Every number that JSON can spell
// has finitely many.
func decimal(r *big.Rat) string {
	digits, _ := r.FloatPrec()
	return shorten(r.FloatString(digits), 60)
}

func joinOr(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// shorten cuts text to n characters, the ellipsis included.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	count, cut := 0, 0
	for i := range text {
		if count == n-1 {
			cut = i
		}
		if count++; count > n {
			return text[:cut] + "…"
		}
	}
	return text
}
