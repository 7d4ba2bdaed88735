package bench

import (
	"os"
	"testing"

	"errand/test/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.StopShared()
	os.Exit(code)
}
