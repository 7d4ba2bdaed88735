package storage

import (
	"errors"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

// AbsentError says that a payload is in a storage that is not configured here.
// It is an errors.ErrUnsupported.
type AbsentError struct {
	// Driver is the name that history holds.
	Driver string
	// Fix is what to configure.
	Fix string
}

func (e *AbsentError) Error() string {
	return fmt.Sprintf("a payload of this run is in external storage (%s), which is not configured here: %s, and storage.driver, as the workers have it", e.Driver, e.Fix)
}

func (e *AbsentError) Unwrap() error { return errors.ErrUnsupported }

// absent stands for a driver that is not configured.
type absent struct{ name, fix string }

// Name implements converter.StorageDriver.
func (a absent) Name() string { return a.name }

// Type implements converter.StorageDriver.
func (absent) Type() string { return "errand.absent" }

// Store is never called: nothing selects this driver.
func (a absent) Store(converter.StorageDriverStoreContext, []*commonpb.Payload) ([]converter.StorageDriverClaim, error) {
	return nil, &AbsentError{a.name, a.fix}
}

// Retrieve says what to configure.
func (a absent) Retrieve(converter.StorageDriverRetrieveContext, []converter.StorageDriverClaim) ([]*commonpb.Payload, error) {
	return nil, &AbsentError{a.name, a.fix}
}
