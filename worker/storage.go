package worker

import (
	"fmt"
	"regexp"
	"strconv"

	"go.uber.org/zap/zapcore"

	"errand/storage"
)

// LoadStorage reads only where large payloads go, from the same variables and the
// same file as LoadConfig: for programs that start runs, or read them, and are no
// worker. Faults elsewhere in the file do not matter. The error is an *Error.
func LoadStorage(environ []string) (storage.Config, error) {
	l := newLoader(environ)
	if top, ok := l.file(); ok {
		l.storage(top.in("storage"))
	}
	if top, ok := l.variables(); ok {
		l.storage(top.in("storage"))
	}
	l.checkStorage()
	if err := failed("the configuration", l.faults); err != nil {
		return storage.Config{}, err
	}
	return l.config.Storage, nil
}

// storage reads the section of the file, or that of the environment.
func (l *loader) storage(s *section) {
	c := &l.config.Storage
	s.text("driver", &c.Driver, anyText)
	s.text("directory", &c.Directory, anyText)
	bucket := s.in("s3")
	bucket.text("bucket", &c.S3.Bucket, anyText)
	bucket.text("prefix", &c.S3.Prefix, anyText)
	bucket.text("region", &c.S3.Region, anyText)
	if address, given := bucket.plain("endpoint"); given {
		c.S3.Endpoint = address // it may hold credentials by mistake
	}
	bucket.flag("path_style", &c.S3.PathStyle)
	bucket.finish()
	s.size("threshold", &c.Threshold)
	s.size("max_output", &c.MaxOutput)
	s.finish()
}

// checkStorage checks what one setting alone cannot tell, once the settings
// themselves can be read.
func (l *loader) checkStorage() {
	if len(l.faults) == 0 {
		l.config.Storage.Faults(&l.faults)
	}
}

var (
	sizeText  = regexp.MustCompile(`^([0-9]{1,12}) ?(KiB|MiB|)$`)
	sizeUnits = map[string]int{"": 1, "KiB": 1 << 10, "MiB": 1 << 20}
)

// size reads a number of bytes. A variable holds it as text.
func (s *section) size(key string, target *int) {
	value, given := s.take(key)
	if !given {
		return
	}
	parts := sizeText.FindStringSubmatch(fmt.Sprint(value))
	if parts == nil {
		s.faults.Add(s.at(key), fmt.Sprintf(`%v: must be a size such as "256KiB" or "8MiB"`, quoted(value)))
		return
	}
	n, err := strconv.Atoi(parts[1])
	if err == nil && n > 0 {
		*target = n * sizeUnits[parts[2]]
		return
	}
	s.faults.Add(s.at(key), fmt.Sprintf("%v: must be at least one byte", quoted(value)))
}

// logStorage writes where large payloads go to a log.
func logStorage(c storage.Config, out zapcore.ObjectEncoder) {
	if c.Driver == "" {
		return
	}
	out.AddString("storage", c.Driver)
	if c.Directory != "" {
		out.AddString("storage_directory", c.Directory)
	}
	if c.S3.Bucket != "" {
		out.AddString("storage_bucket", c.S3.Bucket)
	}
	if c.S3.Endpoint != "" {
		out.AddString("storage_endpoint", withoutCredentials(c.S3.Endpoint))
	}
	if limit := c.OutputLimit(); limit > 0 {
		out.AddInt("storage_max_output", limit)
	}
}
