package s3

import (
	"context"
	"fmt"
	"sync"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/contrib/aws/s3driver"
	"go.temporal.io/sdk/converter"
)

// Name of the driver: history holds it, so it never changes.
const Name = "errand.s3"

// MaxPayload is the size in bytes of the largest payload.
const MaxPayload = 64 << 20

// Config says where objects go.
type Config struct {
	// Bucket exists already. References in history hold its name.
	Bucket string `koanf:"bucket" env:"ERRAND_STORAGE_S3_BUCKET"`
	// Prefix stands before the keys of all objects. References do not hold it.
	Prefix string `koanf:"prefix" env:"ERRAND_STORAGE_S3_PREFIX"`
	// Region is that of the bucket; empty leaves it to AWS_REGION and the profile.
	Region string `koanf:"region" env:"ERRAND_STORAGE_S3_REGION"`
	// Endpoint is the address of a server other than Amazon's; empty is Amazon's.
	Endpoint string `koanf:"endpoint" env:"ERRAND_STORAGE_S3_ENDPOINT"`
	// PathStyle puts the bucket into the path of addresses and not into the name of
	// the host. Most servers other than Amazon's need it.
	PathStyle bool `koanf:"path_style" env:"ERRAND_STORAGE_S3_PATH_STYLE"`
}

// Driver stores payloads as objects.
type Driver struct {
	inner  converter.StorageDriver
	client *client
}

// New makes a driver. It asks no server: see Check.
func New(ctx context.Context, c Config) (*Driver, error) {
	connected, err := newClient(ctx, c)
	if err != nil {
		return nil, err
	}
	inner, err := s3driver.NewDriver(s3driver.Options{
		Client: connected, Bucket: s3driver.StaticBucket(c.Bucket), DriverName: Name, MaxPayloadSize: MaxPayload,
	})
	if err != nil {
		return nil, fmt.Errorf("s3: %w", err)
	}
	return &Driver{inner, connected}, nil
}

// Name implements converter.StorageDriver.
func (d *Driver) Name() string { return d.inner.Name() }

// Type implements converter.StorageDriver.
func (d *Driver) Type() string { return d.inner.Type() }

// Store writes one object for each payload, as many at once as the limiter lets.
func (d *Driver) Store(ctx converter.StorageDriverStoreContext, payloads []*commonpb.Payload) ([]converter.StorageDriverClaim, error) {
	return each(ctx.Context, ctx.Limiter, payloads, func(limited context.Context, one []*commonpb.Payload) ([]converter.StorageDriverClaim, error) {
		inner := ctx
		inner.Context = limited
		return d.inner.Store(inner, one)
	})
}

// Retrieve reads the objects that claims name, and checks them by their digests.
func (d *Driver) Retrieve(ctx converter.StorageDriverRetrieveContext, claims []converter.StorageDriverClaim) ([]*commonpb.Payload, error) {
	return each(ctx.Context, ctx.Limiter, claims, func(limited context.Context, one []converter.StorageDriverClaim) ([]*commonpb.Payload, error) {
		inner := ctx
		inner.Context = limited
		return d.inner.Retrieve(inner, one)
	})
}

// batchPatience bounds all objects of one message to the server. What was stored
// until then is there when it is tried again.
const batchPatience = 3 * patience

// each does something with every element, within the limits of the client or
// worker: the SDK's driver does not know of them. The first that fails ends all.
func each[In, Out any](ctx context.Context, limiter converter.StorageDriverLimiter[In], all []In, do func(context.Context, []In) ([]Out, error)) ([]Out, error) {
	ctx, cancel := context.WithTimeout(ctx, batchPatience)
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	results := make([]Out, len(all))
	var group sync.WaitGroup
	for i, one := range all {
		group.Go(func() {
			err := limiter.Permit(ctx, one, func() error {
				limited, cancel := context.WithTimeout(ctx, patience)
				defer cancel()
				result, err := do(limited, []In{one})
				if err == nil {
					results[i] = result[0]
				}
				return err
			})
			if err != nil {
				fail(err) // the first one stays
			}
		})
	}
	group.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return results, nil
}
