package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/storage"
	"errand/storage/s3"
	"errand/worker/config"
)

func TestStorageIsReadFromTheFileAndTheEnvironment(t *testing.T) {
	t.Parallel()
	environ := written(t, `
storage:
  driver: s3
  directory: /var/lib/errand
  s3: {bucket: payloads, prefix: errand/, region: eu-central-1, endpoint: "http://127.0.0.1:9000", path_style: true}
  threshold: 64KiB
  max_output: 4MiB
`, "ERRAND_STORAGE_S3_BUCKET=other", "ERRAND_STORAGE_MAX_OUTPUT=2097152", "ERRAND_STORAGE_S3_PATH_STYLE=false")
	want := storage.Config{
		Driver: storage.DriverS3, Directory: "/var/lib/errand", Threshold: 64 << 10, MaxOutput: 2 << 20,
		S3: s3.Config{Bucket: "other", Prefix: "errand/", Region: "eu-central-1", Endpoint: "http://127.0.0.1:9000"},
	}
	c, err := config.Load(environ)
	require.NoError(t, err)
	require.Equal(t, want, c.Storage)
	require.Contains(t, c.String(), `"storage":"s3","storage_directory":"/var/lib/errand","storage_bucket":"other"`)

	alone, err := config.LoadStorage(environ)
	require.NoError(t, err)
	require.Equal(t, want, alone)
}

// TestStorageAloneDoesNotLookAtTheRest: a client reads the same file as a worker,
// and needs none of the model servers in it.
func TestStorageAloneDoesNotLookAtTheRest(t *testing.T) {
	t.Parallel()
	environ := written(t, "models: 5\nunknown: true\nstorage: {driver: directory, directory: /d}", "ERRAND_LOG_LEVEL=loud", "OPENAI_BASE_URL=no")
	_, err := config.Load(environ)
	require.Error(t, err)
	alone, err := config.LoadStorage(environ)
	require.NoError(t, err)
	require.Equal(t, "/d", alone.Directory)
}

func TestFaultsOfTheStorageSectionNameTheirKeys(t *testing.T) {
	t.Parallel()
	for want, text := range map[string]string{
		"storage.driver (ERRAND_STORAGE_DRIVER): \"disk\": must be one of": "storage: {driver: disk}",
		"storage.treshold: unknown key":                                    "storage: {treshold: 5}",
		"storage.s3.acl: unknown key":                                      "storage: {s3: {acl: public}}",
		"storage.threshold: \"much\": must be a size such as":              "storage: {threshold: much}",
		"storage.max_output: true: must be a size":                         "storage: {max_output: true}",
		"storage.threshold: 0: must be at least one byte":                  "storage: {threshold: 0}",
		"storage.s3: must be a mapping":                                    "storage: {s3: bucket}",
		"(ERRAND_STORAGE_DIRECTORY): \"d\": must be an absolute path":      "storage: {driver: directory, directory: d}",
	} {
		for _, load := range []func([]string) error{
			func(environ []string) error { _, err := config.Load(environ); return err },
			func(environ []string) error { _, err := config.LoadStorage(environ); return err },
		} {
			err := load(written(t, text))
			require.ErrorContains(t, err, want)
		}
	}
	_, err := config.LoadStorage(quiet(t, "ERRAND_STORAGE_THRESHOLD=lots"))
	require.ErrorContains(t, err, `ERRAND_STORAGE_THRESHOLD: "lots": must be a size`)
}
