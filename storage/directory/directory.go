package directory

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// Name of the driver: history holds it, so it never changes.
const Name = "errand.directory"

// MaxPayload is the size in bytes of the largest payload.
const MaxPayload = 64 << 20

// Keys of a claim.
const (
	claimFile   = "file"
	claimDigest = "sha256"
)

// Driver stores payloads below a directory.
type Driver struct{ path string }

// New makes a driver for a directory, which the first payload creates.
func New(path string) *Driver { return &Driver{path} }

// Name implements converter.StorageDriver.
func (*Driver) Name() string { return Name }

// Type implements converter.StorageDriver.
func (*Driver) Type() string { return Name }

// Store writes each payload to a file; one that is there already stays.
func (d *Driver) Store(ctx converter.StorageDriverStoreContext, payloads []*commonpb.Payload) ([]converter.StorageDriverClaim, error) {
	root, err := d.open(true)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	folder := folderOf(ctx.Target)
	claims := make([]converter.StorageDriverClaim, len(payloads))
	for i, p := range payloads {
		err := ctx.Limiter.Permit(ctx.Context, p, func() error {
			claims[i], err = store(root, folder, p)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("store a payload in %s: %w", d.path, err)
		}
	}
	return claims, nil
}

func store(root *os.Root, folder string, p *commonpb.Payload) (converter.StorageDriverClaim, error) {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
	if err != nil {
		return converter.StorageDriverClaim{}, err
	}
	if len(data) > MaxPayload {
		return converter.StorageDriverClaim{}, fmt.Errorf("it has %d bytes, at most %d are stored", len(data), MaxPayload)
	}
	digest := digestOf(data)
	file := path.Join(folder, digest)
	if err := write(root, folder, digest, data); err != nil {
		return converter.StorageDriverClaim{}, err
	}
	return converter.StorageDriverClaim{ClaimData: map[string]string{claimFile: file, claimDigest: digest}}, nil
}

// Retrieve reads the files that claims name, and checks them by their digests.
func (d *Driver) Retrieve(ctx converter.StorageDriverRetrieveContext, claims []converter.StorageDriverClaim) ([]*commonpb.Payload, error) {
	root, err := d.open(false)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	payloads := make([]*commonpb.Payload, len(claims))
	for i, c := range claims {
		err := ctx.Limiter.Permit(ctx.Context, c, func() error {
			payloads[i], err = d.retrieve(root, c)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return payloads, nil
}

func (d *Driver) retrieve(root *os.Root, c converter.StorageDriverClaim) (*commonpb.Payload, error) {
	file, digest := c.ClaimData[claimFile], c.ClaimData[claimDigest]
	data, err := read(root, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("the payload %s is not in %s: it was deleted, or the workers store elsewhere: %w", file, d.path, fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("read the payload %s in %s: %w", file, d.path, err)
	case digestOf(data) != digest:
		return nil, fmt.Errorf("the payload %s in %s is damaged: it has another digest than it was stored with", file, d.path)
	}
	p := &commonpb.Payload{}
	if err := proto.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("read the payload %s in %s: %w", file, d.path, err)
	}
	return p, nil
}

// Look opens the directory.
func (d *Driver) Look(context.Context) error {
	root, err := d.open(false)
	if err != nil {
		return err
	}
	return root.Close()
}

// Check writes a probe, reads it and deletes it. left is the folder of one that
// could not be deleted.
func (d *Driver) Check(context.Context) (left string, err error) {
	root, err := d.open(true)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	folder := "%errand-doctor-" + rand.Text() // another one may be at it
	err = probe(root, folder)
	if root.RemoveAll(folder) != nil {
		left = path.Join(d.path, folder)
	}
	if err != nil {
		return "", fmt.Errorf("%w (in %s)", err, d.path)
	}
	return left, nil
}

func probe(root *os.Root, folder string) error {
	data := []byte("a probe of errand doctor")
	digest := digestOf(data)
	if err := write(root, folder, digest, data); err != nil {
		return fmt.Errorf("write a probe: %w", err)
	}
	found, err := read(root, path.Join(folder, digest))
	if err == nil && !bytes.Equal(found, data) {
		err = errors.New("it is not the same")
	}
	if err != nil {
		return fmt.Errorf("read a probe that was just written: %w", err)
	}
	return nil
}

// open opens the directory: anew each time, since it may have been replaced.
// Nothing outside of it can be reached by what a claim says.
func (d *Driver) open(create bool) (*os.Root, error) {
	if create {
		if err := os.MkdirAll(d.path, 0o700); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return nil, fmt.Errorf("open the directory of stored payloads: %w", err)
	}
	return root, nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
