package cpu

import (
	"os"
	"path/filepath"
	"testing"

	"darwarp/eval/compiletest"
	"darwarp/eval/internal/compile"
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
	if compiled, err = compiletest.NewCache(); err != nil {
		panic(err)
	}
	defer os.RemoveAll(compiled)
	return m.Run()
}

// TestRuntimeIsKept where compiletest says that it is: else every package would compile it, and nothing would tell.
func TestRuntimeIsKept(t *testing.T) {
	compiler(t)
	kept, err := filepath.Glob(filepath.Join(compiled, "runtimes", "runtime-*.o"))
	if err != nil || len(kept) == 0 {
		t.Errorf("no runtime below %s, %v", compiled, err)
	}
}
