package gpu

import (
	"fmt"
	"slices"
	"testing"

	"darwarp/eval/internal/cuda/cudatest"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// BenchmarkGate is what a gate of 90 cases takes of the worker's own time, and of calls of a driver that does nothing.
func BenchmarkGate(b *testing.B) {
	var cases []device.Case
	for i := range 90 {
		c := device.Case{Name: fmt.Sprint("case ", i), Class: "normal", Seed: uint64(i),
			Dims: kernels.Dims{"m": i / 3, "n": elems, "k": elems}} // some are of one size
		for _, name := range []string{"a", "x", "y"} {
			c.Buffers = append(c.Buffers,
				kernels.Buffer{Name: name, DType: kernels.FP32, Shape: []int{elems}, Out: name == "y"})
		}
		cases = append(cases, c)
	}
	d := cudatest.New(b)
	d.Idle()
	f := newFakedOn(b, d, cases)
	req := &device.Request{Gate: &device.Gate{Cubin: []byte("k"),
		Calls: slices.Repeat([]kernels.Call{fakedCall("copy")}, len(cases))}}
	b.ReportAllocs()
	for b.Loop() {
		if got := f.ask(b, req).(*device.GateReply); got.Fault != nil || !got.Cases[89].Ran {
			b.Fatalf("%+v", got)
		}
	}
}
