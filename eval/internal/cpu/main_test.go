package cpu

import (
	"os"
	"testing"

	"darwarp/eval/internal/compile"
	"darwarp/kernels/kernelstest"
)

// compiled is where tests keep what is compiled: the emulation's runtime takes seconds, and so does the harness. Each
// test loads a program of its own.
var compiled string

// TestMain makes the test binary the compile worker that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		os.Exit(compile.MainCXX(os.Args[3:]))
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	var err error
	if compiled, err = kernelstest.NewCache(); err != nil {
		panic(err)
	}
	defer os.RemoveAll(compiled)
	return m.Run()
}
