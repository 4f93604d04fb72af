package rig_test

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"darwarp/eval"
	"darwarp/eval/compiletest"
	"darwarp/eval/internal/rig"
)

// TestMain makes the test binary its own worker, as darwarp is. With DARWARP_FAKE_RUNGS set its device worker is that
// of ladder_test.go.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		if os.Getenv("DARWARP_FAKE_RUNGS") != "" && (os.Args[2] == "gpu" || len(os.Args) > 5 && os.Args[5] == "gpu") {
			os.Exit(rig.RungMain(os.Args[2:]))
		}
		if file := os.Getenv("DARWARP_TEST_WORKER"); file != "" { // see .ci/run
			_ = syscall.Exec(file, os.Args, os.Environ())
		}
		os.Exit(eval.WorkerMain(os.Args[2], os.Args[3:]))
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	var err error
	if *rig.TestCache, err = compiletest.NewCache(); err != nil {
		panic(err)
	}
	defer os.RemoveAll(*rig.TestCache)
	rig.SecretNumbers = func() *rand.Rand { return rand.New(rand.NewPCG(17, 2)) }
	return m.Run()
}
