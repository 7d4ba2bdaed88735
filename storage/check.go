package storage

import (
	"context"

	"go.temporal.io/sdk/converter"
)

// Check writes a small probe into the storage of the driver, reads it and deletes
// it. What else is configured is only looked into. left is a probe that could not
// be deleted: workers do not need that right.
func Check(ctx context.Context, c Config) (left string, err error) {
	external, err := Open(ctx, c)
	if err != nil {
		return "", err
	}
	for _, driver := range external.Drivers {
		looked, ok := driver.(checker)
		switch {
		case !ok:
		case c.Stores() && driver == external.DriverSelector.(choice).driver:
			left, err = looked.Check(ctx)
		default:
			err = looked.Look(ctx)
		}
		if left != "" || err != nil {
			return left, err
		}
	}
	return "", nil
}

// checker is a driver that can be looked at.
type checker interface {
	converter.StorageDriver
	// Check writes, reads and deletes.
	Check(ctx context.Context) (left string, err error)
	// Look changes nothing.
	Look(ctx context.Context) error
}
