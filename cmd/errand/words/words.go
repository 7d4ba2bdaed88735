// Package words splits a command line into words the way a POSIX shell does,
// and quotes words for one. Nothing is expanded: variables, globs, pipes and
// redirections stay the characters they are, so no shell is needed to run the
// result. The command's flag --exec is its caller.
package words

import (
	"errors"
	"fmt"
	"strings"
)

// Split cuts line at blanks. Single quotes keep everything up to the next one;
// double quotes keep everything but \" \\ \$ and \`; a backslash elsewhere
// keeps the next character.
func Split(line string) ([]string, error) {
	s := splitter{rest: line}
	for s.next() {
	}
	return s.words, s.err
}

type splitter struct {
	rest  string
	words []string
	err   error
}

// next reads one word; it tells whether there may be another.
func (s *splitter) next() bool {
	s.rest = strings.TrimLeft(s.rest, " \t\r\n")
	if s.rest == "" {
		return false
	}
	var word strings.Builder
	for s.rest != "" && s.err == nil {
		c := s.rest[0]
		s.rest = s.rest[1:]
		switch c {
		case ' ', '\t', '\r', '\n':
			s.words = append(s.words, word.String())
			return true
		case '\'':
			s.single(&word)
		case '"':
			s.double(&word)
		case '\\':
			s.escaped(&word)
		default:
			word.WriteByte(c)
		}
	}
	if s.err != nil {
		s.words = nil
		return false
	}
	s.words = append(s.words, word.String())
	return false
}

func (s *splitter) single(word *strings.Builder) {
	inside, rest, closed := strings.Cut(s.rest, "'")
	if !closed {
		s.err = errors.New("a single quote (') is not closed")
		return
	}
	word.WriteString(inside)
	s.rest = rest
}

func (s *splitter) double(word *strings.Builder) {
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == '"':
			s.rest = s.rest[i+1:]
			return
		case c == '\\' && i+1 < len(s.rest) && strings.IndexByte("\"\\$`", s.rest[i+1]) >= 0:
			i++
			word.WriteByte(s.rest[i])
		default:
			word.WriteByte(c)
		}
	}
	s.err = errors.New(`a double quote (") is not closed`)
}

func (s *splitter) escaped(word *strings.Builder) {
	if s.rest == "" {
		s.err = errors.New(`nothing follows the last backslash (\)`)
		return
	}
	word.WriteByte(s.rest[0])
	s.rest = s.rest[1:]
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

// Named splits name=command line, the value of --exec, and wants a name and at
// least one word after it.
func Named(value string) (name string, command []string, err error) {
	name, line, ok := strings.Cut(value, "=")
	if !ok || name == "" {
		return "", nil, fmt.Errorf("%q: write it as name=program, for example lookup=./lookup.sh", value)
	}
	command, err = Split(line)
	if err != nil {
		return "", nil, fmt.Errorf("%q: %w", value, err)
	}
	if len(command) == 0 || command[0] == "" {
		return "", nil, fmt.Errorf("%q: name a program after the =, for example %s=./lookup.sh", value, name)
	}
	return name, command, nil
}
