package torch

import (
	"os/exec"
	"strings"
	"testing"
)

// callsResults calls the helper's results alone, which needs no torch, for shapes of a call and of the problem.
const callsResults = `
import ast, json, sys
of = [n for n in ast.parse(open("helper.py").read()).body if getattr(n, "name", "") == "results"]
exec(compile(ast.Module(of, []), "helper.py", "exec"))
class Tensor:
    def __init__(self, *shape): self.shape = shape
    def dim(self): return len(self.shape)
    def reshape(self, *shape): return Tensor(*shape)
got, want = ([Tensor(*s) for s in json.loads(a)] for a in sys.argv[1:])
try:
    print([list(t.shape) for t, _ in results({"buffers": [{"name": "y", "out": 1, "shape": list(w.shape)} for w in want]}, got)])
except ValueError as e:
    print(e)
`

// TestResults: a call that gives one number without axes, as torch's losses do, gives a tensor of one number; no other
// shape is taken for another one.
func TestResults(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	for _, c := range []struct{ got, want, out string }{
		{"[[]]", "[[1]]", "[[1]]"},
		{"[[2,3]]", "[[2,3]]", "[[2, 3]]"},
		{"[[],[4]]", "[[1],[4]]", "[[1], [4]]"},
		{"[[]]", "[[2]]", "the call gives y of shape [], the problem has [2]"},
		{"[[6]]", "[[2,3]]", "the call gives y of shape [6], the problem has [2, 3]"},
		{"[[1,1]]", "[[1]]", "the call gives y of shape [1, 1], the problem has [1]"},
		{"[[1]]", "[[1],[1]]", "the call gives 1 outputs, the problem has 2"},
	} {
		out, err := exec.Command(python, "-c", callsResults, c.got, c.want).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != c.out {
			t.Errorf("%s for %s: %s (%v), expected %s", c.got, c.want, got, err, c.out)
		}
	}
}
