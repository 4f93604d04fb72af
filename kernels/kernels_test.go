package kernels

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"darwarp/kernels/expr"
)

const problemTOML = `
name = "product"
dims = ["m", "n", "k"]
dtypes = ["fp16", "fp32"]
flops = "2 * m * n * k"
bytes = "elem * (m * k + n * k + m * n)"
tensor = [
  { name = "A", role = "in", shape = ["m", "k"] },
  { name = "B", role = "in", shape = ["n", "k"] },
  { name = "C", role = "out", shape = ["m", "n"], dtype = "fp32" },
]
[[workload]]
name = "square"
dims = { m = 512, n = 512, k = 512 }
weight = 2.0
default = true
[[workload]]
name = "skinny"
dims = { m = 16, n = 512, k = 512 }
[check]
reduction = "k"
shapes = [{ m = 1, n = 1, k = 1 }, { m = 33, n = 17, k = 65 }]
[reference]
file = "reference.cu"
entry = "reference"
grid = ["ceil_div(m * n, 256)"]
block = ["256"]
`

const familyTOML = `
arch = "sm_80"
accumulate = "acc"
[[gene]]
name = "mma"
values = ["fma", "wmma"]
default = "fma"
[[gene]]
name = "acc"
values = ["fp32", "fp16"]
default = "fp32"
opt_in = ["fp16"]
when = "mma != 'fma'"
[[gene]]
name = "tile"
values = [16, 32, 64]
default = 16
[[gene]]
name = "warps"
values = [1, 2, 4, 8]
default = 2
when = "mma == 'wmma'"
[[gene]]
name = "split"
values = [1, 2, 4]
default = 1
[[let]]
name = "threads"
value = "mma == 'fma' ? tile * tile / 4 : 32 * warps"
[[let]]
name = "smem"
value = "2 * tile * tile * elem"
[[constraint]]
rule = "threads <= device.max_threads"
why = "a block has at most that many threads"
[[constraint]]
rule = "mma == 'fma' || tile % (4 * warps) == 0"
why = "warps tile the block"
[[scratch]]
name = "partial"
bytes = "split > 1 ? split * m * n * 4 : 0"
[[launch]]
entry = "product"
grid = ["ceil_div(m, tile) * ceil_div(n, tile)", "1", "split"]
block = ["threads"]
smem = "smem"
args = ["A", "B", "C", "partial", "m", "n", "k"]
[[launch]]
when = "split > 1"
entry = "add_shares"
grid = ["ceil_div(m * n, 256)"]
block = ["256"]
args = ["partial", "C", "m * n"]
`

func mustProblem(t testing.TB) *Problem {
	t.Helper()
	p, err := ParseProblem("problem.toml", []byte(problemTOML))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustFamily(t testing.TB, text string) *Family {
	t.Helper()
	f, err := ParseFamily("tile.toml", "tile", []byte(text), mustProblem(t))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

func mustSpace(t testing.TB, text string, pins Pins) *Space {
	t.Helper()
	s, err := NewSpace(mustFamily(t, text), hopper(t), FP16, pins)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func hopper(t testing.TB) Device {
	t.Helper()
	d, err := ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// genesTOML declares genes with the given TOML lines each, and a launch, for tests of spaces alone.
func genesTOML(genes []string, rest ...string) string {
	var b strings.Builder
	b.WriteString("arch = \"sm_80\"\n")
	for i, g := range genes {
		fmt.Fprintf(&b, "[[gene]]\nname = \"g%d\"\n%s\n", i, g)
	}
	b.WriteString(strings.Join(rest, "\n"))
	b.WriteString("\n[[launch]]\nentry = \"k\"\ngrid = [\"1\"]\nblock = [\"32\"]\nargs = []\n")
	return b.String()
}

func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, 1)) }

// TestDeviceFields lists what expressions can read of a device.
func TestDeviceFields(t *testing.T) {
	const fields = "cc, sms, smem_per_block, smem_per_sm, regs_per_sm, max_threads, threads_per_sm, l2_bytes, " +
		"memory_bytes, kind"
	for _, name := range []string{"smem", "Name"} {
		_, err := expr.CompileAny("device."+name, baseScope())
		if want := "the device has no field " + name + ": expected " + fields; err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
