package cases

import (
	"math/rand/v2"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/templates"
)

// TestLone: who would reign meets cases in which a single line is hard, of every class that a line may be of, and some
// at the scored size.
func TestLone(t *testing.T) {
	for seed, s := range sessionsOf(t, "softmax") {
		found, scored := map[int]bool{}, 0
		for _, c := range s.List {
			if c.Class != device.Lone {
				continue
			}
			f, err := c.Fill(s.input(c.Hard))
			if err != nil || !c.Trial || !f.One() {
				t.Fatalf("%s: %v, %+v", c.Name, err, f)
			}
			found[device.FirstTurn(f, c.Seed)] = true
			if c.Workload != "" {
				scored++
			}
		}
		if len(found) < len(s.mix[0]) || scored != loneAtWorkload {
			t.Errorf("session %d: %d of %d classes, %d at the workload", seed, len(found), len(s.mix[0]), scored)
		}
	}
}

// TestCombs: who would reign meets cases in which one line of eight is hard, in each of the ways to choose it.
func TestCombs(t *testing.T) {
	for seed, s := range sessionsOf(t, "softmax")[:3] {
		slots, most := map[int]bool{}, 0
		for _, c := range s.List {
			if c.Class != device.Comb {
				continue
			}
			f, err := c.Fill(s.input(c.Hard))
			if err != nil || !c.Trial || !f.Combed() || f.One() {
				t.Fatalf("%s: %v, %+v", c.Name, err, f)
			}
			slots[device.Slot(f, c.Seed)] = true
			most = max(most, c.Dims["rows"])
		}
		if len(slots) != device.Slots || most < combLines {
			t.Errorf("session %d: the ways %v, of %d lines at most", seed, slots, most)
		}
	}
}

// TestAgreements: who would reign meets, at the workload, indices that agree in every way; and nobody does where a
// problem has no indices.
func TestAgreements(t *testing.T) {
	for name, want := range map[string]int{"gathered": device.Agreements, "embedded": device.Agreements, "softmax": 0} {
		s := sessionsOf(t, name)[0]
		ways := map[int]bool{}
		for _, c := range s.List {
			for i := range c.Buffers {
				f, err := c.Fill(i)
				if err != nil || c.Class != device.Rare || c.Workload == "" || !device.Agrees(&c.Buffers[i]) {
					continue
				}
				if !c.Trial || c.Drawn(&c.Buffers[i]).How != kernels.Agreed {
					t.Errorf("%s: %+v", c.Name, c.Drawn(&c.Buffers[i]))
				}
				ways[device.Agreement(f.Tensor, c.Seed)] = true
			}
		}
		if len(ways) != want {
			t.Errorf("%s: indices agree in the ways %v, expected %d", name, ways, want)
		}
	}
}

// TestSteps: who would reign meets long sums of an odd number of steps, whatever their length.
func TestSteps(t *testing.T) {
	b, err := templates.Builtin("gemm")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(20) {
		loads, err := b.Problem.FindWorkload("2048")
		if err != nil {
			t.Fatal(err)
		}
		s, err := New(Wanted{Problem: b.Problem, DType: kernels.FP16, Workloads: loads,
			Effort: OnGPU(1 << 37), RNG: rand.New(rand.NewPCG(seed, 5))})
		if err != nil {
			t.Fatal(err)
		}
		odd := map[int]bool{}
		for _, i := range s.Trials["2048"] {
			for _, step := range []int{16, 32, 64, 128} {
				if k := s.List[i].Dims["k"]; k > 1024 && k%step == 0 && k/step%2 == 1 {
					odd[step] = true
				}
			}
		}
		if len(odd) < 4 {
			t.Errorf("session %d: long sums of an odd number of steps of %v only", seed, odd)
		}
	}
}

// TestLarger: on the cpu device who would reign is judged on check shapes that take too long for every candidate, too,
// and on larger sizes than these.
func TestLarger(t *testing.T) {
	b, err := templates.Builtin("attention")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Wanted{Problem: b.Problem, DType: kernels.FP16, Workloads: b.Problem.SmallWorkloads(),
		Effort: Emulated(), RNG: rand.New(rand.NewPCG(1, 2))})
	if err != nil {
		t.Fatal(err)
	}
	longest := map[bool]int{}
	for _, c := range s.List {
		if c.Workload == "" {
			longest[c.Trial] = max(longest[c.Trial], c.Dims["s"])
		}
	}
	if longest[true] < 257 || longest[false] >= longest[true] {
		t.Errorf("sequences of up to %d for every candidate, and of %d for who would reign", longest[false], longest[true])
	}
}
