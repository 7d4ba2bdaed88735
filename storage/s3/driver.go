package s3

import (
	"context"
	"errors"
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
	Bucket string
	// Prefix stands before the keys of all objects. References do not hold it.
	Prefix string
	// Region is that of the bucket; empty leaves it to AWS_REGION and the profile.
	Region string
	// Endpoint is the address of a server other than Amazon's; empty is Amazon's.
	Endpoint string
	// PathStyle puts the bucket into the path of addresses and not into the name of
	// the host. Most servers other than Amazon's need it.
	PathStyle bool
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

// each does something with every element, within the limits of the client or
// worker: the SDK's driver does not know of them.
func each[In, Out any](ctx context.Context, limiter converter.StorageDriverLimiter[In], all []In, do func(context.Context, []In) ([]Out, error)) ([]Out, error) {
	results, faults := make([]Out, len(all)), make([]error, len(all))
	var group sync.WaitGroup
	for i, one := range all {
		group.Go(func() {
			faults[i] = limiter.Permit(ctx, one, func() error {
				limited, cancel := context.WithTimeout(ctx, patience)
				defer cancel()
				result, err := do(limited, []In{one})
				if err == nil {
					results[i] = result[0]
				}
				return err
			})
		})
	}
	group.Wait()
	return results, errors.Join(faults...)
}
