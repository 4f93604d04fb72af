package emu

import "testing"

// TestWordsBetweenBlocks: threads that wait for words of another block, while that waits for words of theirs, let the
// others of their block go on. Otherwise both wait for ever, as blocks that add each other's sums did now and then.
func TestWordsBetweenBlocks(t *testing.T) {
	p := build(t, `#include <darwarp/darwarp.cuh>
extern "C" __global__ void meet(float4* words, int* found) {
    const int half = threadIdx.x % 128, other = 1 - blockIdx.x;
    if (threadIdx.x >= 128) {
        darwarp::store_relaxed(words + blockIdx.x * 128 + half, make_float4(1, 1, 1, 1));
        return;
    }
    for (int tries = 0; tries < 1 << 20; ++tries) {
        if (darwarp::load_relaxed(words + other * 128 + half).w == 0) continue;
        found[blockIdx.x * 128 + half] = 1;
        return;
    }
}`, false)
	p.threads(t, 2)
	for p.seed = range 8 {
		words, found := newMemory("words", 2*128*16), newMemory("found", 2*128*4)
		if r := p.launch(t, "meet", x(2), x(256), 0, words, found); r.Kind != "" {
			t.Fatalf("seed %d: %+v", p.seed, r)
		}
		for i, n := range view[int32](found) {
			if n != 1 {
				t.Fatalf("seed %d: thread %d of block %d waits for ever", p.seed, i%128, i/128)
			}
		}
	}
}
