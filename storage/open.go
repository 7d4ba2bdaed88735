package storage

import (
	"context"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"errand/storage/directory"
	"errand/storage/s3"
	"errand/tools"
)

// Open is the storage in the form in which a Temporal client takes it. It asks no
// server. Also without a driver it is of use: who meets a payload that is stored
// elsewhere is then told what to configure.
func Open(ctx context.Context, c Config) (converter.ExternalStorage, error) {
	var faults tools.Faults
	c.Faults(&faults)
	if len(faults) > 0 {
		return converter.ExternalStorage{}, fmt.Errorf("storage: %w", faults)
	}
	c = c.withDefaults()
	files, objects, err := c.drivers(ctx)
	if err != nil {
		return converter.ExternalStorage{}, err
	}
	chosen := choice{}
	switch {
	case c.Driver == DriverDirectory:
		chosen.driver = files
	case c.Driver == DriverS3, c.S3.Bucket != "":
		chosen.driver = objects
	case c.Directory != "":
		chosen.driver = files
	}
	if !c.Stores() {
		c.Threshold = refused
	}
	return converter.ExternalStorage{
		Drivers: []converter.StorageDriver{files, objects}, DriverSelector: chosen, PayloadSizeThreshold: int(c.Threshold),
	}, nil
}

// refused is the size in bytes from which a payload is stored also with
// DriverNone, if there is anywhere to store it: a server refuses it, and the run
// would stand still. Only runs that had storage before have such payloads.
const refused = 2<<20 - 64<<10

func (c Config) drivers(ctx context.Context) (files, objects converter.StorageDriver, err error) {
	files = absent{directory.Name, "set storage.directory (ERRAND_STORAGE_DIRECTORY) to the directory of the workers"}
	if c.Directory != "" {
		files = directory.New(c.Directory)
	}
	objects = absent{s3.Name, "set storage.s3.bucket (ERRAND_STORAGE_S3_BUCKET) to the bucket of the workers"}
	if c.S3.Bucket != "" {
		if objects, err = s3.New(ctx, c.S3); err != nil {
			return nil, nil, fmt.Errorf("storage: %w", err)
		}
	}
	return files, objects, nil
}

// choice sends every payload to one driver; without one it stays in history.
type choice struct{ driver converter.StorageDriver }

// SelectDriver implements converter.StorageDriverSelector.
func (c choice) SelectDriver(converter.StorageDriverSelectContext, *commonpb.Payload) (converter.StorageDriver, error) {
	return c.driver, nil
}
