package eval

import (
	"fmt"
	"os"

	"darwarp/eval/internal/attack"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/cpu"
	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/health"
	"darwarp/eval/internal/judge"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/sandbox"
)

// workers are the processes that this binary becomes when it is started as `worker KIND`.
var workers = map[string]func(args []string) int{
	"compile": compile.Main,
	"cxx":     compile.MainCXX,
	"gpu":     gpu.Main,
	"profile": gpu.ProfileMain,
	"cpu":     cpu.Main,
	"check":   checker.Main,
	"judge":   judge.Main,
	"nvml":    health.Main,
	"sandbox": sandbox.Main,
	"attack":  attack.Main,
}

// WorkerMain runs one of darwarp's own worker processes and returns its exit code.
func WorkerMain(kind string, args []string) int {
	if main := workers[kind]; main != nil {
		return main(args)
	}
	fmt.Fprintf(os.Stderr, "unknown worker %q\n", kind)
	return proc.ExitInternal
}
