package cudatest

import (
	"testing"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/dl"
	"darwarp/eval/internal/dl/dltest"
)

// GPU is the real driver, where it is, and the first GPU; without one the test is skipped.
func GPU(t testing.TB) (*cuda.Driver, string, cuda.Device) {
	t.Helper()
	path := dltest.Find(t, dl.CUDA)
	d, err := cuda.Open(path)
	if err != nil {
		t.Skipf("the CUDA driver does not start on this machine: %v", err)
	}
	dev, err := d.Device(0)
	if err != nil {
		t.Fatal(err)
	}
	return d, path, dev
}
