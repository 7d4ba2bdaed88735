package storage

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"errand/storage/s3"
	"errand/tools"
)

// Drivers: where new payloads go. What else is configured is read.
const (
	// DriverNone cuts outputs as if there were no storage. Beside a directory or a
	// bucket it still stores what a Temporal server would refuse: runs that have
	// large outputs already must be able to end.
	DriverNone = "none"
	// DriverDirectory stores files, for the processes of one machine.
	DriverDirectory = "directory"
	// DriverS3 stores objects of an S3-compatible server.
	DriverS3 = "s3"
)

const (
	// MaxThreshold is the largest Threshold, and the default. What is smaller may
	// enter a history as it is, and a large batch of it has to fit there.
	MaxThreshold = 256 << 10
	minThreshold = 16 << 10
	// DefaultMaxOutput is the default of MaxOutput, in bytes.
	DefaultMaxOutput = 8 << 20
	mostOutput       = 16 << 20
	// maxPrefix leaves room for the rest in the key of an object.
	maxPrefix = 200
)

// Config says where large payloads go. The zero Config keeps all of them in
// history.
type Config struct {
	// Driver is one of the constants; empty means DriverNone.
	Driver string `koanf:"driver" env:"ERRAND_STORAGE_DRIVER"`
	// Directory is an absolute path.
	Directory string    `koanf:"directory" env:"ERRAND_STORAGE_DIRECTORY"`
	S3        s3.Config `koanf:"s3"`
	// Threshold is the size in bytes from which a payload is stored outside; 0
	// means MaxThreshold.
	Threshold Size `koanf:"threshold" env:"ERRAND_STORAGE_THRESHOLD"`
	// MaxOutput is the size in bytes above which the output of a call is cut, in
	// place of 1 MiB; 0 means DefaultMaxOutput.
	MaxOutput Size `koanf:"max_output" env:"ERRAND_STORAGE_MAX_OUTPUT"`
}

// Stores tells whether all large payloads go outside.
func (c Config) Stores() bool { return c.Driver == DriverDirectory || c.Driver == DriverS3 }

// OutputLimit is the size in bytes above which the output of a call is cut; 0
// leaves that as it is without storage.
func (c Config) OutputLimit() int {
	if !c.Stores() {
		return 0
	}
	return int(c.withDefaults().MaxOutput)
}

func (c Config) withDefaults() Config {
	if c.Threshold == 0 {
		c.Threshold = MaxThreshold
	}
	if c.MaxOutput == 0 {
		c.MaxOutput = DefaultMaxOutput
	}
	return c
}

// Faults adds what is wrong with the configuration, by its keys.
func (c Config) Faults(all *tools.Faults) {
	c = c.withDefaults()
	switch c.Driver {
	case "":
		if c.Directory != "" || c.S3 != (s3.Config{}) {
			all.Add("storage.driver (ERRAND_STORAGE_DRIVER)", "required beside a directory or a bucket: write directory or s3, or none to read only what is there")
		}
	case DriverNone:
	case DriverDirectory:
		if c.Directory == "" {
			all.Add("storage.directory (ERRAND_STORAGE_DIRECTORY)", "required for the driver directory: an absolute path that every process can write")
		}
	case DriverS3:
		if c.S3.Bucket == "" {
			all.Add("storage.s3.bucket (ERRAND_STORAGE_S3_BUCKET)", "required for the driver s3: the name of a bucket that exists")
		}
	default:
		all.Add("storage.driver (ERRAND_STORAGE_DRIVER)", fmt.Sprintf("%q: must be one of none, directory, s3", c.Driver))
	}
	if c.Directory != "" && !filepath.IsAbs(c.Directory) {
		all.Add("storage.directory (ERRAND_STORAGE_DIRECTORY)", fmt.Sprintf("%q: must be an absolute path: every process would look in a folder of its own", c.Directory))
	}
	c.bucketFaults(all)
	sizeFault(all, "storage.threshold (ERRAND_STORAGE_THRESHOLD)", c.Threshold, minThreshold, MaxThreshold)
	sizeFault(all, "storage.max_output (ERRAND_STORAGE_MAX_OUTPUT)", c.MaxOutput, tools.MaxOutput, mostOutput)
}

func (c Config) bucketFaults(all *tools.Faults) {
	b := c.S3
	if b.Bucket == "" && b != (s3.Config{}) && c.Driver != DriverS3 {
		all.Add("storage.s3.bucket (ERRAND_STORAGE_S3_BUCKET)", "required beside the other keys of s3: the name of a bucket that exists")
	}
	if strings.ContainsAny(b.Bucket, "/ \t") {
		all.Add("storage.s3.bucket (ERRAND_STORAGE_S3_BUCKET)", fmt.Sprintf("%q: must be the name of a bucket alone: put a folder into prefix", b.Bucket))
	}
	if strings.HasPrefix(b.Prefix, "/") {
		all.Add("storage.s3.prefix (ERRAND_STORAGE_S3_PREFIX)", fmt.Sprintf(`%q: must not begin with a slash: write for example "errand/"`, b.Prefix))
	}
	if len(b.Prefix) > maxPrefix {
		all.Add("storage.s3.prefix (ERRAND_STORAGE_S3_PREFIX)", fmt.Sprintf("has %d bytes, at most %d are taken", len(b.Prefix), maxPrefix))
	}
	if b.Endpoint == "" {
		return
	}
	parsed, err := url.Parse(b.Endpoint)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Hostname() == "" {
		all.Add("storage.s3.endpoint (ERRAND_STORAGE_S3_ENDPOINT)", "must be a URL such as http://127.0.0.1:9000")
	} else if parsed.User != nil || parsed.RawQuery != "" {
		all.Add("storage.s3.endpoint (ERRAND_STORAGE_S3_ENDPOINT)", "must hold no user and no query: credentials come from the AWS_* variables")
	}
}

func sizeFault(all *tools.Faults, key string, size, least, most Size) {
	if size < least || size > most {
		all.Add(key, fmt.Sprintf("%d bytes: must be from %d KiB to %d KiB", size, least>>10, most>>10))
	}
}
