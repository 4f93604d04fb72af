package emu

import (
	"strings"
	"testing"

	"darwarp/templates"
)

// numbers is a buffer that holds 0, 1, 2 ...
func numbers(name string, n int) *memory {
	m := newMemory(name, 4*n)
	for i := range view[int32](m) {
		view[int32](m)[i] = int32(i)
	}
	m.readOnly = true
	return m
}

// TestBulkCopies: rows through a ring of bulk copies come out right, whatever the order, and with every access watched.
func TestBulkCopies(t *testing.T) {
	for _, checked := range []bool{false, true} {
		p := build(t, testdata(t, "bulk.cu"), checked)
		for p.seed = range 6 {
			const rows = 23
			in, out := numbers("x", 64*rows), newMemory("y", 4*64*rows)
			p.good(t, "ring", x(3), x(128), 0, in, out, rows)
			for i, v := range view[int32](out) {
				if v != int32(i+1) {
					t.Fatalf("checked %v, seed %d: number %d is %d, want %d", checked, p.seed, i, v, i+1)
				}
			}
		}
	}
}

// TestBulkAdd: what several blocks add is there once for each, and no race.
func TestBulkAdd(t *testing.T) {
	for _, checked := range []bool{false, true} {
		p := build(t, testdata(t, "bulk.cu"), checked)
		for p.seed = range 3 {
			in, out := newMemory("x", 4*64*5), newMemory("y", 4*64)
			for i := range view[float32](in) {
				view[float32](in)[i] = float32(i)
			}
			in.readOnly = true
			clear(out.bytes)
			p.good(t, "sums", x(5), x(64), 0, in, out)
			for i, v := range view[float32](out) {
				if want := float32(5*i + 64*10); v != want {
					t.Fatalf("checked %v, seed %d: number %d is %g, want %g", checked, p.seed, i, v, want)
				}
			}
		}
	}
}

// TestBulkBugs: every planted bug is found, whatever the order, with its lines and threads.
func TestBulkBugs(t *testing.T) {
	source := testdata(t, "bulk.cu")
	p := build(t, source, true)
	for _, c := range []struct {
		kernel, kind string
		threads      int
	}{
		{"no_wait", "race", 2},
		{"wrong_parity", "race", 2},
		{"no_parity", "trap", 1},
		{"one_waits", "race", 2},
		{"no_expect", "race", 2},
		{"too_many_bytes", "deadlock", 1},
		{"refill_early", "race", 2},
		{"leave_early", "race", 2},
		{"no_init_fence", "race", 1},
		{"not_ready", "race|trap", 0},
		{"one_too_many", "trap", 1},
		{"overwritten", "trap", 1},
		{"load_left", "race", 1},
		{"load_past_the_end", "out_of_bounds", 1},
		{"odd_address", "misaligned", 1},
		{"no_store_fence", "race", 2},
		{"store_unordered", "race", 2},
		{"overtaken", "race", 2},
		{"uncommitted", "race", 1},
		{"no_add_fence", "race", 2},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			for p.seed = range 8 {
				r := p.launch(t, c.kernel, x(1), x(64), 0, numbers("x", 128), newMemory("y", 4*64))
				kind, threads := c.kind, c.threads
				if strings.Contains(kind, "|") && strings.Contains(kind, r.Kind) { // it depends on who comes first
					kind, threads = r.Kind, len(r.Threads)
				}
				caught(t, r, kind, marked(source, "<- "+c.kernel), threads)
			}
		})
	}
}

// TestFastFindsBulk: without any check, what is read too early is poison and what is stored too late is spoilt.
func TestFastFindsBulk(t *testing.T) {
	p := build(t, testdata(t, "bulk.cu"), false)
	for _, c := range []struct {
		kernel string
		want   func(i int) int32
		wrong  int // under so many of 20 orders at least
	}{
		{"no_wait", func(i int) int32 { return int32(i) }, 20},
		{"wrong_parity", func(i int) int32 { return int32(i) }, 20},
		{"no_expect", func(i int) int32 { return int32(i) }, 20},
		{"too_many_bytes", nil, 20},
		{"refill_early", func(i int) int32 { return int32(2*(63-i) + 64) }, 15},
		{"overtaken", func(i int) int32 { return int32(i) }, 20},
		{"load_left", nil, 20},
		{"uncommitted", nil, 20},
		{"not_ready", nil, 15},
	} {
		wrong := 0
		for p.seed = range 20 {
			out := newMemory("y", 4*64)
			r := p.launch(t, c.kernel, x(1), x(64), 0, numbers("x", 128), out)
			spoilt := r.Kind != ""
			for i, v := range view[int32](out) {
				spoilt = spoilt || c.want != nil && v != c.want(i)
			}
			if spoilt {
				wrong++
			}
		}
		if wrong < c.wrong {
			t.Errorf("%s: found under %d of 20 orders, want %d", c.kernel, wrong, c.wrong)
		}
	}
}

// TestBulkMessages: a report says what a reader needs.
func TestBulkMessages(t *testing.T) {
	p := build(t, testdata(t, "bulk.cu"), true)
	for kernel, want := range map[string]string{
		"no_wait": "fills with a bulk copy and has not waited for",
		"too_many_bytes": "waits at an mbarrier whose phase 0 does not end: 1 of 1 have arrived, and 16 bytes are " +
			"announced that nobody copies",
		"no_init_fence":     "no mbarrier_fence came after its mbarrier was initialised",
		"one_too_many":      "arrives at an mbarrier at which all 1 of the phase have arrived",
		"no_store_fence":    "writes with no async_fence after it",
		"overtaken":         "stores with a bulk copy and has not waited for",
		"uncommitted":       "ends and has not waited for a bulk copy",
		"load_past_the_end": "reads 256 bytes of global memory, up to 16 bytes past the end of x (512 bytes)",
	} {
		r := p.launch(t, kernel, x(1), x(64), 0, numbers("x", 128), newMemory("y", 4*64))
		if !strings.Contains(r.Message, want) {
			t.Errorf("%s: %q, want %q", kernel, r.Message, want)
		}
	}
}

// halves is a kernel that halves rows of 64 floats, kept in the library's ring of bulk copies: by its own copy of
// bulk_rows.cuh, as a change of one line is planted there.
func halves(t *testing.T, kept, old, new string) string {
	t.Helper()
	ring := string(templates.Include()["darwarp/bulk_rows.cuh"])
	if !strings.Contains(ring, old) {
		t.Fatalf("bulk_rows.cuh has no %q", old)
	}
	ring = strings.NewReplacer("#pragma once", "", "namespace darwarp {",
		"namespace planted { using namespace darwarp;").Replace(strings.Replace(ring, old, new, 1))
	return "#include <darwarp/darwarp.cuh>\n" + ring + `
using namespace darwarp;
using Rows = Team<64, 64>;
extern "C" __global__ void halve(const float* x, float* y, int rows) {
    extern __shared__ __align__(128) unsigned char memory[];
    Rows team;
    planted::` + kept + ` data;
    data.place(memory, 64 * 4, 0, 1);
    for_rows<4, false>(data, team, x, y, rows, 64 * 4, [] {}, [&](long long at) {
        data.each([&](int, Column c, float (&v)[4]) {
            for (int j = 0; j < 4; ++j) v[j] *= 0.5f;
            data.template write<CACHED>(y + at, c, v);
        });
    });
}
`
}

// TestPlantedInRing plants bugs in the ring that the row kernels use. The first, which is none, comes out right.
func TestPlantedInRing(t *testing.T) {
	const place, registers = "BulkRow<float, 4, 1, Rows, CACHED, 3, false, true, CACHED>",
		"BulkRegisterRow<float, 4, 1, Rows, CACHED, false, 2, false, CACHED>"
	for _, c := range []struct{ name, kept, old, new, kind string }{
		{"none, results stored in bulk", place, "", "", ""},
		{"none, rows in registers", registers, "", "", ""},
		{"rows not awaited", registers, "if (s.end > s.begin) mbarrier_wait(barrier(FULL, taken), taken_phase);", "", "race"},
		{"places not awaited", registers, "else mbarrier_wait(barrier(EMPTY, asked), asked_phase ^ 1);", "", "race"},
		{"the parity of the wrong turn", registers, "mbarrier_wait(barrier(EMPTY, asked), asked_phase ^ 1)",
			"mbarrier_wait(barrier(EMPTY, asked), asked_phase)", "deadlock"},
		{"the phase never turns", registers, "place = 0, phase ^= 1;", "place = 0;", "race|deadlock|trap"},
		{"bytes not announced", registers, "mbarrier_expect(barrier(FULL, asked), bytes(s));",
			"mbarrier_arrive(barrier(FULL, asked));", "race"},
		{"lanes not awaited", registers, "mbarrier_arrive(barrier(EMPTY, taken));",
			"for (int i = 0; threadIdx.x % 32 == 0 && i < 32; ++i) mbarrier_arrive(barrier(EMPTY, taken));", "race"},
		{"no fence before a store", place, "async_fence();", "", "race"},
		{"results not awaited", place, "mbarrier_wait(barrier(EMPTY, taken), taken_phase);", "", "race"},
		{"asked for before it has left", place, "bulk_wait_read<STORED>();", ";", "race"},
		{"ends before it has left", place, "if constexpr (STORES) bulk_wait_read<0>();", "", "race"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := build(t, halves(t, c.kept, c.old, c.new), true)
			const rows = 9
			in, out := newMemory("x", 4*256*rows), newMemory("y", 4*256*rows)
			for i := range view[float32](in) {
				view[float32](in)[i] = float32(2 * i)
			}
			r := p.launch(t, "halve", x(2), x(64), 3*1024, in, out, rows)
			if (c.kind == "") != (r.Kind == "") || !strings.Contains(c.kind, r.Kind) {
				t.Fatalf("%+v, want %q", r, c.kind)
			}
			for i, v := range view[float32](out) {
				if c.kind == "" && v != float32(i) {
					t.Fatalf("number %d is %g, want %d", i, v, i)
				}
			}
		})
	}
}
