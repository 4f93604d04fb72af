package cases

import (
	"slices"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

// TestWatchable: scored sizes that are small enough come first, and check shapes and drawn sizes until there is no time
// for more; neither trial cases nor large ones.
func TestWatchable(t *testing.T) {
	p, err := kernels.ParseProblem("problem.toml", []byte(kernelstest.Product))
	if err != nil {
		t.Fatal(err)
	}
	set, err := New(Wanted{Problem: p, DType: kernels.FP16, Workloads: p.Workloads,
		Effort: Emulated(), RNG: device.SecretNumbers()})
	if err != nil {
		t.Fatal(err)
	}
	const all, each = 1e9, 3e8
	list, total := set.Watchable(all, each), 0.0
	for n, i := range list {
		c := &set.List[i]
		total += set.workOf(c)
		if c.Trial || set.workOf(c) > each || (c.Workload != "") != (n < len(p.Workloads)) {
			t.Errorf("number %d is %s, trial %v, %.2g of work", n, c.Name, c.Trial, set.workOf(c))
		}
	}
	if len(list) < len(p.Check.Shapes) || total > all {
		t.Errorf("%d cases, %.2g of work", len(list), total)
	}
	large := slices.IndexFunc(set.List, func(c device.Case) bool { return c.Workload == "" && !c.Trial })
	set.List[large].Dims = kernels.Dims{}
	for dim, n := range p.Workloads[0].Dims {
		set.List[large].Dims[dim] = 64 * n
	}
	if got := set.Watchable(all, each); slices.Contains(got, large) || len(got) != len(list)-1 {
		t.Errorf("a size of %.2g of work is watched, or others are not", set.workOf(&set.List[large]))
	}
}
