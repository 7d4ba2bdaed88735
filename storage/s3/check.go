package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Look reads an object that is not there. Who may not list the bucket is refused
// that, and cannot be told more without one that is there.
func (d *Driver) Look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	bucket := d.client.config.Bucket
	_, err := d.client.GetObject(ctx, bucket, "errand-doctor/"+rand.Text())
	if err == nil || errors.Is(err, fs.ErrNotExist) || isCode(err, "Forbidden", "AccessDenied") {
		return nil
	}
	return fmt.Errorf("read in bucket %s: %w", bucket, err)
}

// Check writes a probe, reads it and deletes it. left is the key of a probe that
// could not be deleted: workers do not need that right.
func (d *Driver) Check(ctx context.Context) (left string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, data := d.client, []byte("a probe of errand doctor")
	bucket, key := c.config.Bucket, "errand-doctor/"+rand.Text()
	if err := c.PutObject(ctx, bucket, key, data); err != nil {
		return "", fmt.Errorf("write into bucket %s: %w", bucket, err)
	}
	found, err := c.GetObject(ctx, bucket, key)
	if err == nil && !bytes.Equal(found, data) {
		err = errors.New("it is not the same")
	}
	if err != nil {
		return "", fmt.Errorf("read what was written into bucket %s: %w", bucket, err)
	}
	if _, err := c.s3.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &bucket, Key: c.key(key)}); err != nil {
		return *c.key(key), nil //nolint:nilerr // it is told where the probe is
	}
	return "", nil
}
