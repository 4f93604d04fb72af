package emu

import "testing"

// BenchmarkFibers measures what the emulation is made of, on one OS thread: ns for one thread's start and end,
// one pass of a barrier, one shuffle, one share in an mma.sync, one turn of a loop of FMAs.
func BenchmarkFibers(b *testing.B) {
	out := newMemory("out", 4*256*64)
	const turns = 1000
	for _, c := range []struct {
		name, entry    string
		grid, block, n int
		args           []any
	}{
		{"thread", "nothing", 1000, 256, 1000 * 256, nil},
		{"barrier", "barriers", 1, 256, turns * 256, []any{turns}},
		{"barrier of 1024", "barriers", 1, 1024, turns * 1024, []any{turns}},
		{"shuffle", "shuffles", 1, 256, turns * 256, []any{turns, out}},
		{"mma", "products", 1, 256, turns * 256, []any{turns, out}},
		{"fma", "straight", 64, 256, turns * 256 * 64, []any{turns, out}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := build(b, testdata(b, "speed.cu"), false)
			p.threads(b, 1)
			for b.Loop() {
				p.good(b, c.entry, x(c.grid), x(c.block), 0, c.args...)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.n), "ns/step")
		})
	}
}
