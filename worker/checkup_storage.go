package worker

import (
	"context"
	"fmt"

	"errand/storage"
)

// storageCheckup writes, reads and deletes a probe.
func storageCheckup(ctx context.Context, c storage.Config) Finding {
	f := Finding{Check: "storage", Subject: c.Driver}
	if c.Driver == "" {
		f.State, f.Message = StateOff, "no external storage: outputs over 1 MiB are cut"
		f.Fix = "set ERRAND_STORAGE_DRIVER to directory (with ERRAND_STORAGE_DIRECTORY) or s3 (with ERRAND_STORAGE_S3_BUCKET)"
		return f
	}
	left, err := storage.Check(ctx, c)
	switch {
	case err != nil:
		f.State, f.Message = StateFault, err.Error()
		f.Fix = "check storage.directory, or storage.s3 and the AWS_* variables: runs with large payloads would stand still"
	case left != "":
		f.State, f.Message = StateWarning, fmt.Sprintf("a probe can be written and read, but not deleted: %s stays", left)
		f.Fix = "nothing: workers do not delete. Let objects expire"
	case c.Stores():
		f.State, f.Message = StateOK, fmt.Sprintf("a probe was written, read and deleted; outputs are kept up to %d MiB", c.OutputLimit()>>20)
	default:
		f.State, f.Message = StateOK, "what was stored before can be read; outputs over 1 MiB are cut, and only what Temporal would refuse is stored"
	}
	return f
}
