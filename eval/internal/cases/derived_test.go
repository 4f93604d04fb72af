package cases

import (
	"strings"
	"testing"

	"darwarp/kernels"
)

const halved = `
name = "halved"
about = "a test"
dims = ["rows", "cols"]
dtypes = ["fp32"]
flops = "rows * cols"
bytes = "rows * cols"

[[tensor]]
name = "x"
role = "in"
shape = ["rows", "cols"]

[[tensor]]
name = "y"
role = "out"
shape = ["rows", "ceil_div(cols, 2)"]

[[workload]]
name = "w"
dims = { rows = 200, cols = 224 }
default = true

[check]
reduction = "2"
shapes = [{ rows = 3, cols = 9 }, { rows = 5, cols = 31 }]

[reference]
file = "reference.cu"
entry = "reference"
grid = ["rows"]
block = ["32"]
`

// TestDerivedPastTiles: an axis of 112 that is half of a dim is 97 once, with few rows. One that is twice a dim is
// never one more than whole tiles, and draws nothing.
func TestDerivedPastTiles(t *testing.T) {
	for seed := range uint64(20) {
		d := drawerIn(t, halved, 1e9, seed)
		list := d.derived(kernels.Dims{"rows": 200, "cols": 224})
		if len(list) != 1 || (list[0]["cols"]+1)/2 != 97 || list[0]["rows"] > 2*lineCount {
			t.Errorf("seed %d: %v", seed, list)
		}
	}
	twice := drawerIn(t, strings.ReplaceAll(halved, "ceil_div(cols, 2)", "2 * cols"), 1e9, 1)
	if list := twice.derived(kernels.Dims{"rows": 200, "cols": 224}); len(list) != 0 {
		t.Errorf("twice as many: %v", list)
	}
	text := strings.ReplaceAll(halved, "ceil_div(cols, 2)", "cols / 32")
	steps := map[string]string{"cols = 9": "cols = 32", "cols = 31": "cols = 96", "cols = 224": "cols = 4096"}
	for from, to := range steps {
		text = strings.ReplaceAll(text, from, to)
	}
	groups := drawerIn(t, text, 1e9, 1)
	if list := groups.derived(kernels.Dims{"rows": 200, "cols": 4096}); len(list) != 1 || list[0]["cols"] != 97*32 {
		t.Errorf("groups of 32: %v", list)
	}
}
