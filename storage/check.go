package storage

import "context"

// Check writes a small probe into each storage that is configured, reads it and
// deletes it. left is a probe that could not be deleted: workers do not need that
// right.
func Check(ctx context.Context, c Config) (left string, err error) {
	external, err := Open(ctx, c)
	if err != nil {
		return "", err
	}
	for _, driver := range external.Drivers {
		if looked, ok := driver.(checker); ok {
			if left, err = looked.Check(ctx); left != "" || err != nil {
				return left, err
			}
		}
	}
	return "", nil
}

// checker is a driver that can be looked at.
type checker interface {
	Check(ctx context.Context) (left string, err error)
}
