package emu

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// grid launches a kernel of grid.cu.
func (p *program) grid(t *testing.T, entry string) report {
	t.Helper()
	in, out, part, state := newMemory("in", 4*512), newMemory("out", 16*512), newMemory("part", 4*512),
		newMemory("state", 4*64)
	in.readOnly = true
	for i := range view[int32](in) {
		view[int32](in)[i] = int32(i*37%101) + 1
	}
	return p.launch(t, entry, x(8), x(64), 0, in, out, part, state)
}

// TestBetweenBlocks: what blocks do to each other in global memory is told apart, under every order, into races and
// kernels that are right.
func TestBetweenBlocks(t *testing.T) {
	source := testdata(t, "grid.cu")
	p := build(t, source, true)
	for _, m := range regexp.MustCompile(`(?m)^KERNEL\((\w+)\)`).FindAllStringSubmatch(source, -1) {
		entry := m[1]
		t.Run(entry, func(t *testing.T) {
			p.cluster = x(1)
			if strings.Contains(entry, "cluster") {
				p.cluster = x(2)
			}
			racing := marked(source, "<- "+entry)
			for p.seed = range 8 {
				r := p.grid(t, entry)
				if len(racing) > 0 {
					caught(t, r, "race", racing, 2)
				} else if r.Kind != "" {
					t.Errorf("seed %d: %s:%d: %s %+v", p.seed, r.Kind, r.Line, r.Message, r.Threads)
				}
			}
		})
	}
}

// TestBetweenBlocksMessages: a report says who, what and where.
func TestBetweenBlocksMessages(t *testing.T) {
	p := build(t, testdata(t, "grid.cu"), true)
	for entry, want := range map[string]string{
		"ticket_without_fence": `thread \(\d,0,0\) reads 4 bytes at offset \d+ of part, which thread \(0,0,0\) of block ` +
			`\(\d,0,0\) writes with no __threadfence before`,
		"who_comes_last": `thread \(0,0,0\) writes 4 bytes at offset 0 of out, which thread \(0,0,0\) of block \(\d,0,0\) ` +
			`writes, another value`,
		"shift_in_place": `thread \(\d+,0,0\) (reads|writes) 4 bytes at offset \d+ of part, which thread \(\d+,0,0\) of ` +
			`block \(\d,0,0\) (reads|writes)`,
	} {
		r := p.grid(t, entry)
		if !regexp.MustCompile(want).MatchString(r.Message) {
			t.Fatalf("%s: %q, want %q", entry, r.Message, want)
		}
		one, other := r.Threads[0], r.Threads[1]
		if one.Block == other.Block || !strings.Contains(r.Message, fmt.Sprintf("of block (%d,0,0)", other.Block[0])) {
			t.Errorf("%s: %+v of %q", entry, r.Threads, r.Message)
		}
	}
}
