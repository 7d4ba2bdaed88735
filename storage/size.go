package storage

import (
	"errors"
	"regexp"
	"strconv"
)

// Size is a number of bytes. A text of it is a number, or one of KiB or MiB.
type Size int

var (
	sizeText  = regexp.MustCompile(`^([0-9]{1,12}) ?(KiB|MiB|)$`)
	sizeUnits = map[string]Size{"": 1, "KiB": 1 << 10, "MiB": 1 << 20}
)

// UnmarshalText reads a size of at least one byte.
func (s *Size) UnmarshalText(text []byte) error {
	parts := sizeText.FindStringSubmatch(string(text))
	if parts == nil {
		return errors.New(`must be a size such as "256KiB" or "8MiB"`)
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil || n == 0 {
		return errors.New("must be at least one byte")
	}
	*s = Size(n) * sizeUnits[parts[2]]
	return nil
}
