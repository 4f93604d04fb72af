package eval

import (
	"os"
	"testing"
)

// TestMain makes the test binary its own worker, as darwarp is. With DARWARP_FAKE set its device
// worker is the fake one of fake_test.go.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		if os.Args[2] == "gpu" && os.Getenv("DARWARP_FAKE") != "" {
			os.Exit(fakeMain(os.Args[3:]))
		}
		if os.Args[2] == "judge" && os.Getenv("DARWARP_FAKE") != "" {
			os.Exit(fakeJudgeMain())
		}
		os.Exit(WorkerMain(os.Args[2], os.Args[3:]))
	}
	os.Exit(runTests(m))
}

// testCache is where tests of the cpu device keep what is compiled: its runtime alone takes seconds.
var testCache string

func runTests(m *testing.M) int {
	var err error
	if testCache, err = os.MkdirTemp("", "darwarp-test-*"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(testCache)
	return m.Run()
}
