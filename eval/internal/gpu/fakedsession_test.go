package gpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/eval/internal/cuda/cudatest"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

const elems = 1000 // of each buffer, fp32

// fakedCases are a check shape, three sets of one workload, and a trial case of it.
func fakedCases() []device.Case {
	var list []device.Case
	for i, name := range []string{"check", "a", "b", "c", "trial"} {
		c := device.Case{Name: name, Workload: "w", Class: "normal", Dims: kernels.Dims{"n": elems}, Seed: uint64(i + 1),
			Trial: name == "trial", Buffers: []kernels.Buffer{
				{Name: "x", DType: kernels.FP32, Shape: []int{elems}}, {Name: "y", DType: kernels.FP32, Shape: []int{elems},
					Out: true},
			}}
		if name == "check" {
			c.Workload = ""
		}
		list = append(list, c)
	}
	return list
}

// faked is a session on a driver without a GPU, prepared. Its coins are always the same.
type faked struct {
	*Session
	driver *cudatest.Driver
	out    []byte
	phases []string
}

func newFaked(t *testing.T) *faked { return newFakedOn(t, cudatest.New(t), fakedCases()) }

func newFakedOn(t testing.TB, d *cudatest.Driver, cases []device.Case) *faked {
	t.Helper()
	f := &faked{driver: d}
	prep := &device.Prepare{Cases: cases, Slots: 2, SlotBytes: max(16, len(cases)) * cases[0].OutBytes(), GuardKey: 7}
	out, err := proc.NewShared("outputs", int64(prep.Slots*prep.SlotBytes))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	f.out = out.Map()
	f.Session = NewSession(device.Files{Out: out.File()})
	f.watched = true // its images are no machine code
	f.rng = rand.New(rand.NewPCG(1, 2))
	f.ask(t, &device.Request{Open: &device.Open{Driver: f.driver.Path, Harness: []byte("harness")}})
	f.ask(t, &device.Request{Prepare: prep})
	f.driver.Log()
	return f
}

func (f *faked) ask(t testing.TB, req *device.Request) any {
	t.Helper()
	reply, err := f.Handle(req, func(p string) { f.phases = append(f.phases, p) })
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// fakedCall launches one of the driver's candidates.
func fakedCall(kernel string) kernels.Call {
	one := [3]int{1, 1, 1}
	c := kernels.Call{Launches: []kernels.Launch{{Entry: kernel, Grid: [3]int{5, 1, 1}, Block: one, Cluster: one,
		Args: []kernels.Arg{{Kind: "tensor", Name: "x"}, {Kind: "tensor", Name: "y"}, {Kind: "i32", Int: 4 * elems}}}}}
	if kernel == "leaves" || kernel == "uses" {
		c.Scratch = []kernels.Scratch{{Name: "s", Bytes: 64, Once: true}}
		c.Launches[0].Args = append(c.Launches[0].Args, kernels.Arg{Kind: "scratch", Name: "s"})
	}
	return c
}

// fakedCalls are a kernel's calls on the cases that a gate runs.
func fakedCalls(kernel string) []kernels.Call {
	return slices.Repeat([]kernels.Call{fakedCall(kernel)}, 4)
}

func (f *faked) gated(t *testing.T, kernel string) *device.GateReply {
	t.Helper()
	return f.ask(t, &device.Request{Gate: &device.Gate{Cubin: []byte("k"), Calls: fakedCalls(kernel),
		Slot: 1}}).(*device.GateReply)
}

// contender is a kernel whose outputs have to be those of copy.
func (f *faked) contender(t *testing.T, kernel string) device.Contender {
	t.Helper()
	c := device.Contender{Cubin: []byte("k"), Calls: []kernels.Call{fakedCall(kernel)}, Expect: [][]uint64{nil}}
	for _, r := range f.gated(t, "copy").Cases[1:4] {
		c.Expect[0] = append(c.Expect[0], r.Hash)
	}
	f.driver.Log()
	return c
}
