// Package shell splits a command line into words the way a POSIX shell does,
// and quotes words for one. Nothing is expanded: variables, globs, pipes and
// redirections stay the characters they are, so no shell is needed to run the
// result.
package shell

import (
	"errors"
	"strings"

	"github.com/kballard/go-shellquote"
)

// Split cuts line at blanks. Single quotes keep everything up to the next one;
// double quotes keep everything but \" \\ \$ and \`; a backslash elsewhere
// keeps the next character.
func Split(line string) ([]string, error) {
	words, err := shellquote.Split(line)
	switch {
	case err == nil:
		return words, nil
	case errors.Is(err, shellquote.UnterminatedSingleQuoteError):
		return nil, errors.New("a single quote (') is not closed")
	case errors.Is(err, shellquote.UnterminatedDoubleQuoteError):
		return nil, errors.New(`a double quote (") is not closed`)
	}
	return nil, errors.New(`nothing follows the last backslash (\)`)
}

// Quote makes text one word for a POSIX shell.
func Quote(text string) string {
	if text != "" && !strings.ContainsFunc(text, special) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

func special(r rune) bool {
	plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=@%+,", r)
	return !plain
}
