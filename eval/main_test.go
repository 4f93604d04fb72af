package eval

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"darwarp/eval/compiletest"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/rig"
)

// Sampled reports whether tests of many kernels may take some of them, other ones each time: as CI has them.
func Sampled() bool { return os.Getenv("DARWARP_SAMPLE") != "" }

// Some is one of several, another one each time, where a sample is asked for, and otherwise all of them.
func Some[T any](all ...T) []T {
	if !Sampled() {
		return all
	}
	i := rand.IntN(len(all))
	return all[i : i+1]
}

// Sometimes skips a test that emulates many kernels three times of four where a sample is asked for. What is cheap,
// as rendering its points, comes before: else nobody sees for days that the test has genes or text that are no more.
func Sometimes(t *testing.T) {
	t.Helper()
	if Sampled() && rand.IntN(4) > 0 {
		t.Skip("runs one time of four where DARWARP_SAMPLE is set")
	}
}

// TestMain makes the test binary its own worker, as darwarp is. With DARWARP_FAKE set its device
// worker is the fake one of fake_test.go.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		ordinary()
		if os.Args[2] == "gpu" && os.Getenv("DARWARP_FAKE") != "" {
			os.Exit(fakeMain(os.Args[3:]))
		}
		if os.Args[2] == "judge" && os.Getenv("DARWARP_FAKE") != "" {
			os.Exit(fakeJudgeMain())
		}
		os.Exit(WorkerMain(os.Args[2], os.Args[3:]))
	}
	proc.Vmstat = os.DevNull // see there
	os.Exit(runTests(m))
}

// ordinary replaces a worker that is no fake by the darwarp of DARWARP_TEST_WORKER, if there is one: see .ci/run. One
// that a user may not start is left out.
func ordinary() {
	kind := os.Args[2]
	if kind == "sandbox" && len(os.Args) > 5 {
		kind = os.Args[5] // what it becomes
	}
	if file := os.Getenv("DARWARP_TEST_WORKER"); file != "" && kind != "gpu" && kind != "judge" {
		_ = syscall.Exec(file, os.Args, os.Environ())
	}
}

// testCache is where tests of the cpu device keep what is compiled: its runtime alone takes seconds.
var testCache string

func runTests(m *testing.M) int {
	var err error
	if testCache, err = compiletest.NewCache(); err != nil {
		panic(err)
	}
	defer os.RemoveAll(testCache)
	rig.Floor, rig.Patience, compile.LongestTimeout = 10*time.Minute, 20*time.Minute, 20*time.Minute
	rig.SecretNumbers = func() *rand.Rand { return rand.New(rand.NewPCG(17, 2)) }
	return m.Run()
}
