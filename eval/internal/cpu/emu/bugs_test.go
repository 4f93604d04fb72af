package emu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

// marked lists the lines of a source that hold a text.
func marked(source, text string) (lines []int) {
	for i, line := range strings.Split(source, "\n") {
		if strings.Contains(line, text) {
			lines = append(lines, i+1)
		}
	}
	return lines
}

// caught checks a report: its kind, a line in it, and how many threads it names.
func caught(t *testing.T, r report, kind string, lines []int, threads int) {
	t.Helper()
	if r.Kind != kind || !strings.HasSuffix(r.File, "kernel.cu") || !slices.Contains(lines, r.Line) ||
		len(r.Threads) != threads {
		t.Errorf("%s at %s:%d (%s), threads %+v; want %s at one of lines %v, %d threads", r.Kind, r.File, r.Line, r.Message,
			r.Threads, kind, lines, threads)
	}
	for _, p := range r.Threads {
		if !slices.Contains(lines, p.Line) || p.Access == "" {
			t.Errorf("%s: a thread at line %d (%s), want one of %v", r.Message, p.Line, p.Access, lines)
		}
	}
}

// TestQuickClock: a block that waits only while it is watched, which it tells by the clock, is found under about every
// other order of the threads.
func TestQuickClock(t *testing.T) {
	source := testdata(t, "bugs.cu")
	p, found := build(t, source, true), 0
	for p.seed = range 10 {
		r := p.launch(t, "waits_if_slow", x(1), x(64), 0, newMemory("in", 4*64), newMemory("out", 4*64))
		if r.Kind != "" {
			caught(t, r, "race", marked(source, "<- waits_if_slow"), 2)
			found++
		}
	}
	if found == 0 {
		t.Error("no order showed the race")
	}
}

// TestSameNumber: threads may store the same number side by side.
func TestSameNumber(t *testing.T) {
	p := build(t, testdata(t, "bugs.cu"), true)
	for p.seed = range 6 {
		out := newMemory("out", 4*64)
		if r := p.launch(t, "same_number", x(1), x(64), 0, newMemory("in", 4*64), out); r.Kind != "" {
			t.Errorf("order %d: %s: %s", p.seed, r.Kind, r.Message)
		}
	}
}

// TestBugs: every planted bug is found, whatever the order, with its lines and threads.
func TestBugs(t *testing.T) {
	source := testdata(t, "bugs.cu")
	p := build(t, source, true)
	for _, c := range []struct {
		kernel, kind string
		threads      int // named in the report
		block        int
	}{
		{"missing_barrier", "race", 2, 64},
		{"lockstep", "race", 2, 32},
		{"shuffle_is_no_barrier", "race", 2, 32},
		{"refill_too_early", "race", 2, 64},
		{"another_number", "race", 2, 64},
		{"another_number_last", "race", 2, 64},
		{"stored_while_read", "race", 2, 64},
		{"missing_wait", "race", 2, 32},
		{"missing_commit", "race", 2, 32},
		{"wait_without_barrier", "race", 2, 32},
		{"past_the_end", "out_of_bounds", 1, 64},
		{"before_the_start", "out_of_bounds", 1, 32},
		{"writes_an_input", "out_of_bounds", 1, 32},
		{"past_shared", "out_of_bounds", 1, 32},
		{"uninitialised", "uninitialised", 1, 64},
		{"divergent", "divergence", 2, 32},
		{"kinds", "divergence", 2, 32},
		{"left_alone", "deadlock", 2, 32},
		{"wrong_mask", "divergence", 1, 32},
		{"misaligned", "misaligned", 1, 32},
		{"trapped", "trap", 1, 64},
		{"no_round_waits", "race", 2, 32},
		{"copied_too_early", "race", 2, 32},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			grid, smem, n := 2, 4*32, 127
			if c.kernel == "past_the_end" {
				grid, smem, n = 3, 0, 128
			}
			var r report
			for p.seed = range 6 {
				in, out := newMemory("in", 4*128), newMemory("out", 4*128)
				in.readOnly = true
				r = p.launch(t, c.kernel, x(grid), x(c.block), smem, in, out, n)
				caught(t, r, c.kind, marked(source, "<- "+c.kernel), c.threads)
			}
			plant(t, c.kernel, "bugs.cu", source, c.kernel, [3]int{grid, 1, 1}, [3]int{c.block, 1, 1}, smem,
				fmt.Sprintf("int:512 raw:512 %d", n), r.say())
		})
	}
}

// TestMessages: a report says what a reader needs.
func TestMessages(t *testing.T) {
	p := build(t, testdata(t, "bugs.cu"), true)
	in, out := newMemory("in", 4*64), newMemory("out", 4*64)
	in.readOnly = true
	for kernel, want := range map[string]string{
		"past_the_end":     "writes 4 bytes of global memory, up to 4 bytes past the end of out (256 bytes)",
		"before_the_start": "thread (0,0,0) reads 4 bytes of global memory, 4 bytes before in (256 bytes)",
		"writes_an_input":  "of in, which is read-only",
		"past_shared": "thread (63,0,0) writes 4 bytes up to 4 past the end of the block's 256 bytes of dynamic " +
			"shared memory",
		"uninitialised": "thread (63,0,0) reads 4 bytes of shared memory, at at offset 252, where no thread of the block " +
			"has written",
		"missing_wait": "fills with cp.async and has not waited for",
	} {
		block := 64
		if kernel == "missing_wait" || kernel == "before_the_start" {
			block = 32
		}
		r := p.launch(t, kernel, x(2), x(block), 4*64, in, out, 64)
		if kernel == "missing_wait" {
			big := newMemory("in", 16*64)
			r = p.launch(t, kernel, x(1), x(block), 0, big, out)
		}
		if !strings.Contains(r.Message, want) {
			t.Errorf("%s: %q, want %q", kernel, r.Message, want)
		}
	}
}

// TestPlantedInGemm plants bugs in the real templates. Those of memory are found by the checks, with the line;
// a wrong index into the right memory shows in the result.
func TestPlantedInGemm(t *testing.T) {
	sync := map[string]any{"mma": "mma_sync", "block_m": 32, "block_n": 32, "block_k": 32, "warp_m": 16, "warp_n": 16,
		"loader": "cp_async", "stages": 3, "smem_layout": "xor"}
	vec := map[string]any{"mma": "wmma", "block_m": 32, "block_n": 32, "block_k": 32, "warp_m": 16, "warp_n": 16,
		"loader": "vec16", "stages": 2, "epilogue": "staged"}
	for _, c := range []struct {
		name     string
		genes    map[string]any
		old, new string
		kind     string
	}{
		{"missing barrier", nil, "__syncthreads();", "", "race"},
		{"missing barrier of the prefetch", vec, "__syncthreads();", "", "race"},
		{"missing async wait", sync, "cp_async_wait<STAGES - 2>();", "", "race"},
		{"one stage too few awaited", sync, "cp_async_wait<STAGES - 2>();", "cp_async_wait<STAGES - 1>();", "race"},
		{"tile edge off by one", nil, "col + j * THREADS_N < columns", "col + j * THREADS_N <= columns", "out_of_bounds"},
		{"row edge off by one", nil, "row0 + r < rows", "row0 + r <= rows", "out_of_bounds"},
		{"rows not clamped", sync, "in.m - 1)", "in.m)", "out_of_bounds"},
		{"swizzle that writes elsewhere", sync, "swizzle<ROW_CHUNKS>(row, chunk)", "(swizzle<ROW_CHUNKS>(row, chunk) & ~1)",
			"uninitialised|race"},
		{"swizzle that reads elsewhere", sync, "warp_row() + lane % 16, chunk + lane / 16)",
			"warp_row() + lane % 16, chunk + lane / 16 ^ 1)", "wrong"},
	} {
		t.Run(c.name, func(t *testing.T) {
			job := point(t, c.genes)
			source := strings.ReplaceAll(job.Source, c.old, c.new)
			if source == job.Source {
				t.Fatalf("the source has no %q", c.old)
			}
			prog := build(t, source, true)
			p := newProduct(70, 61, 96, kernels.FP16, rand.New(rand.NewPCG(3, 3)))
			if c.genes != nil {
				p = newProduct(70, 64, 96, kernels.FP16, rand.New(rand.NewPCG(3, 3)))
			}
			r := p.run(t, prog, &job)
			ours := r.say()
			if c.kind == "wrong" {
				ours = "wrong result"
			}
			job.Source = source
			p.plant(t, "gemm: "+c.name, "gemm_"+strings.ReplaceAll(c.name, " ", "_")+".cu", &job, ours)
			if c.kind == "wrong" {
				if r.Kind != "" || p.wrong(job.Acc) == "" {
					t.Errorf("report %+v, and the result is right", r)
				}
				return
			}
			if !strings.Contains(c.kind, r.Kind) || r.Kind == "" || !strings.HasSuffix(r.File, "kernel.cu") || r.Line == 0 {
				t.Fatalf("%+v, want %s", r, c.kind)
			}
			t.Logf("%s:%d %s: %s", r.File[strings.LastIndex(r.File, "/")+1:], r.Line, r.Kind, r.Message)
		})
	}
}

// TestFastFinds: without any check the same bugs spoil the result, as the order is random, what has not
// been written or has not landed is poison, and a copy may land early, and late where no wait covers it.
func TestFastFinds(t *testing.T) {
	p := build(t, testdata(t, "bugs.cu"), false)
	for kernel, block := range map[string]int{"missing_barrier": 64, "lockstep": 32, "refill_too_early": 64,
		"missing_wait":   32,
		"no_round_waits": 32, "copied_too_early": 32} {
		in, right, wrong := newMemory("in", 4*256), 0, 0
		for i := range view[int32](in) {
			view[int32](in)[i] = int32(i)
		}
		for p.seed = range 20 {
			out := newMemory("out", 4*64)
			p.good(t, kernel, x(1), x(block), 0, in, out)
			ok := false
			switch o := view[int32](out); kernel {
			case "refill_too_early":
				ok = true
				for i := range 64 {
					ok = ok && o[i] == int32(4*(63-i)+6)
				}
			case "missing_wait":
				ok = o[0] == 0 && o[1] == 4
			case "no_round_waits":
				ok = true
				for i := range 32 {
					ok = ok && o[i] == int32(31-i)
				}
			case "copied_too_early":
				ok = true
				for i := range 32 {
					ok = ok && o[i] == int32(4*(31-i+(32-i)%32+(33-i)%32))
				}
			default:
				ok = o[0] == 63*64/2
			}
			if ok {
				right++
			} else {
				wrong++
			}
		}
		if wrong < 15 {
			t.Errorf("%s: wrong under %d of 20 orders", kernel, wrong)
		}
	}
}

// TestCounters: conflicts and sectors of accesses whose cost is known.
func TestCounters(t *testing.T) {
	source := testdata(t, "counters.cu")
	p := build(t, source, true)
	p.races, p.counters = false, true
	in, out := newMemory("in", 1<<16), newMemory("out", 1<<16)
	r := p.good(t, "sites", x(2), x(64), 0, in, out)
	for _, c := range []struct {
		mark, space         string
		accesses, conflicts int // accesses by 4 warps
		sectors             float64
	}{
		{"no conflict", "shared", 4, 0, 0},
		{"two-way", "shared", 4, 4, 0},
		{"32-way", "shared", 4, 4 * 31, 0},
		{"broadcast", "shared", 4, 0, 0},
		{"wide", "shared", 4, 0, 0},
		{"rows of 128 bytes", "shared", 4, 4 * 4 * 7, 0},
		{"coalesced", "global", 4, 0, 4},
		{"strided", "global", 4, 0, 32},
		{"sixteen bytes", "global", 4, 0, 16},
		{"in a loop", "global", 12, 0, 4},
	} {
		line := marked(source, "// "+c.mark)[0]
		found := false
		for _, s := range r.Sites {
			if s.Line != line || s.Space != c.space {
				continue
			}
			found = true
			if s.Accesses != c.accesses || s.Conflicts != c.conflicts || s.SectorsPerRequest != c.sectors {
				t.Errorf("%s: %+v, want %+v", c.mark, s, c)
			}
		}
		if !found {
			t.Errorf("%s: no site at line %d of %+v", c.mark, line, r.Sites)
		}
	}
}
