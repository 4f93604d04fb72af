package gpu

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"darwarp/eval/internal/cuda/cudatest"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// BenchmarkGate is what a gate of 90 cases takes of the worker's own time, and of calls of a driver that does nothing.
// The program has as many variables as the headers of gemm bring.
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
	req := &device.Gate{Cubin: []byte("k"), Calls: slices.Repeat([]kernels.Call{fakedCall("copy")}, len(cases))}
	once := func() error {
		if err := f.beginRequest(); err != nil {
			return err
		}
		p, err := f.load(req.Cubin, req.Calls)
		if err != nil {
			return err
		}
		for i := range 27 {
			p.images = append(p.images, image{zone: zone{f.counterAt(16 * i), 64}})
		}
		_, runs, err := f.gateCases(p, req, func(string) {})
		reply := &device.GateReply{Cases: make([]device.CaseReply, len(cases))}
		if err == nil {
			err = f.readCases(runs, reply)
		}
		if reply.Strays != nil {
			b.Error(reply.Strays.Why())
		}
		return errors.Join(err, f.unload(p))
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := f.ctx.Do(once); err != nil {
			b.Fatal(err)
		}
	}
}
