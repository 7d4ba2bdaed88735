package storage_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"errand/storage"
	"errand/storage/s3"
	"errand/test/bucket"
	"errand/tools"
	"errand/workflows"
)

func TestFaultsOfAConfigurationNameTheKeyAndTheFix(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]storage.Config{
		"": {},
		"storage.driver (ERRAND_STORAGE_DRIVER): required beside":                                  {Directory: "/d"},
		"storage.driver (ERRAND_STORAGE_DRIVER): \"disk\": must be one":                            {Driver: "disk"},
		"storage.directory (ERRAND_STORAGE_DIRECTORY): required":                                   {Driver: storage.DriverDirectory},
		"storage.directory (ERRAND_STORAGE_DIRECTORY): \"d\": must be an absolute path":            {Driver: storage.DriverDirectory, Directory: "d"},
		"storage.s3.bucket (ERRAND_STORAGE_S3_BUCKET): required for":                               {Driver: storage.DriverS3},
		"storage.s3.bucket (ERRAND_STORAGE_S3_BUCKET): required beside":                            {Driver: storage.DriverNone, S3: s3.Config{Region: "r"}},
		"storage.s3.bucket (ERRAND_STORAGE_S3_BUCKET): \"a/b\": must be the name":                  {Driver: storage.DriverS3, S3: s3.Config{Bucket: "a/b"}},
		"storage.s3.prefix (ERRAND_STORAGE_S3_PREFIX): \"/p\": must not":                           {Driver: storage.DriverS3, S3: s3.Config{Bucket: "b", Prefix: "/p"}},
		"storage.s3.prefix (ERRAND_STORAGE_S3_PREFIX): has 201 bytes":                              {Driver: storage.DriverS3, S3: s3.Config{Bucket: "b", Prefix: strings.Repeat("p", 201)}},
		"storage.s3.endpoint (ERRAND_STORAGE_S3_ENDPOINT): must be a URL":                          {Driver: storage.DriverS3, S3: s3.Config{Bucket: "b", Endpoint: "minio:9000"}},
		"storage.s3.endpoint (ERRAND_STORAGE_S3_ENDPOINT): must hold no user":                      {Driver: storage.DriverS3, S3: s3.Config{Bucket: "b", Endpoint: "http://u:p@minio:9000"}},
		"storage.threshold (ERRAND_STORAGE_THRESHOLD): 1 bytes: must be from 16 KiB to 256 KiB":    {Threshold: 1},
		"storage.max_output (ERRAND_STORAGE_MAX_OUTPUT): 5 bytes: must be from 1024 KiB to 16384 ": {MaxOutput: 5},
	} {
		var faults tools.Faults
		c.Faults(&faults)
		if want == "" {
			require.Empty(t, faults)
			continue
		}
		require.Len(t, faults, 1, want)
		require.Contains(t, faults[0].String(), want)
		require.NotContains(t, faults[0].String(), "u:p")
		_, err := storage.Open(t.Context(), c)
		require.ErrorContains(t, err, want)
	}
}

func TestOnlyADriverRaisesTheLimitOfOutputs(t *testing.T) {
	t.Parallel()
	require.Zero(t, storage.Config{}.OutputLimit())
	require.Zero(t, storage.Config{Driver: storage.DriverNone, Directory: "/d", MaxOutput: 2 << 20}.OutputLimit())
	require.Equal(t, 8<<20, storage.Config{Driver: storage.DriverDirectory, Directory: "/d"}.OutputLimit())
	require.Equal(t, 2<<20, storage.Config{Driver: storage.DriverS3, MaxOutput: 2 << 20}.OutputLimit())
}

// free lets everything happen at once.
type free[T any] struct{}

func (free[T]) Permit(_ context.Context, _ T, do func() error) error { return do() }

func opened(t *testing.T, c storage.Config) map[string]converter.StorageDriver {
	t.Helper()
	external, err := storage.Open(t.Context(), c)
	require.NoError(t, err)
	all := map[string]converter.StorageDriver{}
	for _, d := range external.Drivers {
		all[d.Name()] = d
	}
	selected, err := external.DriverSelector.SelectDriver(converter.StorageDriverSelectContext{}, &commonpb.Payload{})
	require.NoError(t, err)
	if c.Directory != "" || c.S3.Bucket != "" {
		require.NotNil(t, selected)
	} else {
		require.Nil(t, selected)
	}
	return all
}

func TestWithoutAStorageItIsSaidWhichOneIsMissing(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"errand.directory": "ERRAND_STORAGE_DIRECTORY", "errand.s3": "ERRAND_STORAGE_S3_BUCKET"} {
		_, err := opened(t, storage.Config{})[name].Retrieve(converter.StorageDriverRetrieveContext{}, nil)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, name)
	}
}

// TestADriverThatWasReplacedIsStillRead: what one driver has stored is found
// while another one stores, and when nothing does.
func TestADriverThatWasReplacedIsStillRead(t *testing.T) {
	t.Parallel()
	c := storage.Config{Driver: storage.DriverDirectory, Directory: t.TempDir()}
	claims, err := opened(t, c)["errand.directory"].Store(converter.StorageDriverStoreContext{
		Context: t.Context(), Limiter: free[*commonpb.Payload]{},
	}, []*commonpb.Payload{{Data: []byte("x")}})
	require.NoError(t, err)
	for _, driver := range []string{storage.DriverNone, storage.DriverS3} {
		c.Driver, c.S3 = driver, s3.Config{Bucket: "b", Region: "eu-central-1"}
		found, err := opened(t, c)["errand.directory"].Retrieve(converter.StorageDriverRetrieveContext{
			Context: t.Context(), Limiter: free[converter.StorageDriverClaim]{},
		}, claims)
		require.NoError(t, err)
		require.Equal(t, "x", string(found[0].Data))
	}
}

// TestWithoutADriverOnlyWhatTemporalRefusesIsStored: a run with large outputs
// could neither end nor continue otherwise.
func TestWithoutADriverOnlyWhatTemporalRefusesIsStored(t *testing.T) {
	t.Parallel()
	c := storage.Config{Driver: storage.DriverNone, Directory: t.TempDir(), Threshold: 16 << 10}
	for driver, c := range map[string]storage.Config{
		"errand.directory": c,
		"errand.s3":        {Driver: storage.DriverNone, Directory: "/d", S3: s3.Config{Bucket: "b", Region: "eu-central-1"}},
	} {
		external, err := storage.Open(t.Context(), c)
		require.NoError(t, err)
		require.Less(t, external.PayloadSizeThreshold, 2<<20)
		require.Greater(t, external.PayloadSizeThreshold, workflows.MaxStateSize, "more than any run without storage has")
		selected, err := external.DriverSelector.SelectDriver(converter.StorageDriverSelectContext{}, &commonpb.Payload{})
		require.NoError(t, err)
		require.Equal(t, driver, selected.Name())
	}
}

func TestACheckWritesOnlyWhereTheDriverWrites(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	b, files := bucket.Start(t), t.TempDir()
	c := storage.Config{Directory: files, S3: s3.Config{Bucket: b.Name, Endpoint: b.Endpoint, PathStyle: true}}
	for _, driver := range []string{storage.DriverNone, storage.DriverDirectory} {
		c.Driver = driver
		_, err := storage.Check(t.Context(), c)
		require.NoError(t, err, driver)
		require.Zero(t, b.Written(), driver)
	}
	require.NoError(t, os.Remove(files))
	c.Driver = storage.DriverS3
	_, err := storage.Check(t.Context(), c)
	require.ErrorIs(t, err, fs.ErrNotExist, "what was stored there before could not be read")
	require.NoDirExists(t, files)
}

func TestACheckLooksAtWhatIsConfigured(t *testing.T) {
	t.Parallel()
	left, err := storage.Check(t.Context(), storage.Config{Driver: storage.DriverDirectory, Directory: t.TempDir()})
	require.NoError(t, err)
	require.Empty(t, left)
	_, err = storage.Check(t.Context(), storage.Config{Driver: storage.DriverDirectory, Directory: "/dev/null/payloads"})
	require.ErrorContains(t, err, "/dev/null")
}
