package program

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamedWantsANameAndAProgram(t *testing.T) {
	t.Parallel()
	name, command, err := named(`lookup=./look --sep "a=b"`)
	require.NoError(t, err)
	require.Equal(t, "lookup", name)
	require.Equal(t, []string{"./look", "--sep", "a=b"}, command)
	for value, want := range map[string]string{
		"lookup":     "write it as name=program",
		"=./look":    "write it as name=program",
		"lookup=":    "name a program after the =",
		"lookup='x":  "single quote",
		"lookup=  ":  "name a program after the =",
		`lookup=""`:  "name a program after the =",
		`lookup= "`:  "double quote",
		"lookup=a\\": "backslash",
	} {
		_, _, err := named(value)
		require.ErrorContains(t, err, want, value)
	}
}
