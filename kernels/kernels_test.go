package kernels

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"darwarp/kernels/expr"
)

//go:embed testdata/problem.toml
var problemTOML string

//go:embed testdata/family.toml
var familyTOML string

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
	for _, name := range []string{"smem", "Name", "Driver", "driver", "Software", "Toolchain"} {
		_, err := expr.CompileAny("device."+name, baseScope())
		if want := "the device has no field " + name + ": expected " + fields; err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
