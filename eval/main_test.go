package eval_test

import (
	"os"
	"testing"

	"darwarp/eval"
)

// TestMain makes the test binary its own worker, as darwarp is.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		os.Exit(eval.WorkerMain(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}
