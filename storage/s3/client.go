package s3

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

const (
	// patience bounds one object: the look whether it is there, and its transfer
	// with repeats.
	patience = time.Minute
	// fresh is the age from which an object is written again.
	fresh = 24 * time.Hour
	// longKey is the longest key that is written out. S3 takes 1,024 bytes with the
	// prefix, and a run id alone may have three thousand, escaped.
	longKey = 800
	// attempts of one request, with growing pauses. What they do not mend fails
	// the activity or the workflow task, which the server repeats.
	attempts = 5
	// anyRegion signs requests to servers that have none.
	anyRegion = "us-east-1"
)

// client is what the SDK's driver asks of S3, for one bucket.
type client struct {
	s3     *s3.Client
	config Config
}

func newClient(ctx context.Context, c Config) (*client, error) {
	loaded, err := config.LoadDefaultConfig(ctx, config.WithRetryMaxAttempts(attempts))
	if err != nil {
		return nil, fmt.Errorf("s3: read the settings of AWS: %w: check the AWS_* variables and the profile", err)
	}
	if c.Region != "" {
		loaded.Region = c.Region
	}
	if loaded.Region == "" && c.Endpoint == "" {
		return nil, errors.New("s3: storage.s3.region is required: write the region of the bucket, or set AWS_REGION")
	}
	if loaded.Region == "" {
		loaded.Region = anyRegion
	}
	return &client{s3.NewFromConfig(loaded, func(o *s3.Options) {
		o.UsePathStyle = c.PathStyle
		if c.Endpoint != "" {
			o.BaseEndpoint = aws.String(c.Endpoint)
			// Many servers do not know these sums. The driver has its own.
			o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
			o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
		}
	}), c}, nil
}

// PutObject writes an object.
func (c *client) PutObject(ctx context.Context, bucket, key string, data []byte) error {
	_, err := c.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: c.key(key), Body: bytes.NewReader(data)})
	return err
}

// ObjectExists tells whether an object is there and need not be written again. One
// of some age is written again: objects expire by their age, which has to count
// from their last use. Who may not list a bucket is refused where there is none;
// writing it then tells whether that is allowed.
func (c *client) ObjectExists(ctx context.Context, bucket, key string) (bool, error) {
	answer, err := c.s3.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &bucket, Key: c.key(key)})
	if isCode(err, "NotFound", "NoSuchKey", "Forbidden", "AccessDenied") {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return answer.LastModified != nil && time.Since(*answer.LastModified) < fresh, nil
}

// GetObject reads an object of the configured bucket: history does not say what
// else is read with the rights of this process.
func (c *client) GetObject(ctx context.Context, bucket, key string) ([]byte, error) {
	if bucket != c.config.Bucket {
		return nil, fmt.Errorf("the payload is in bucket %q, and storage.s3.bucket is %q: %w", bucket, c.config.Bucket, errors.ErrUnsupported)
	}
	answer, err := c.s3.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: c.key(key)})
	if isCode(err, "NoSuchKey", "NotFound") {
		return nil, fmt.Errorf("the payload is not there: it was deleted, or storage.s3.prefix is another than it was stored with: %w", fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(answer.Body, MaxPayload+1))
	if len(data) > MaxPayload {
		return nil, fmt.Errorf("the object has more than %d bytes", MaxPayload)
	}
	return data, err
}

// Describe is what the driver's errors say beside the bucket and the key.
func (c *client) Describe() map[string]string {
	if c.config.Endpoint != "" {
		return map[string]string{"endpoint": c.config.Endpoint}
	}
	return map[string]string{"region": c.s3.Options().Region}
}

// key is the whole key of an object. It follows from the one that references
// hold, also with another prefix.
func (c *client) key(key string) *string {
	if len(key) > longKey {
		sum := sha256.Sum256([]byte(key))
		key = key[:longKey-len("/")-hex.EncodedLen(len(sum))] + "/" + hex.EncodeToString(sum[:])
	}
	return aws.String(c.config.Prefix + key)
}

func isCode(err error, codes ...string) bool {
	var api smithy.APIError
	if !errors.As(err, &api) {
		return false
	}
	for _, code := range codes {
		if api.ErrorCode() == code {
			return true
		}
	}
	return false
}
