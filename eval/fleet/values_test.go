package fleet

import (
	"fmt"
	"maps"
	"math"
	"testing"

	"darwarp/kernels"
)

// TestValues: values are read as they were written, and cut off at any place they are no others.
func TestValues(t *testing.T) {
	all := map[string]kernels.Value{"block_m": kernels.Int(128), "lowest": kernels.Int(math.MinInt),
		"swizzle": kernels.Bool(true), "few": kernels.Bool(false), "loader": kernels.String("cp_async"),
		"odd": kernels.String("a\x00\n\"ü"), "none": kernels.String("")}
	var packed values
	for name, v := range all {
		packed = packed.with(name, v)
	}
	got := map[string]kernels.Value{}
	into := func(name string, v kernels.Value) { got[name] = v }
	if err := packed.each(into); err != nil || !maps.Equal(got, all) {
		t.Fatalf("%v, %v", got, err)
	}
	for n := range packed {
		clear(got)
		if err := packed[:n].each(into); err == nil && len(got) == len(all) {
			t.Errorf("%d of %d bytes are all values", n, len(packed))
		}
		for name, v := range got {
			if all[name] != v {
				t.Errorf("%d bytes: %s = %v", n, name, v)
			}
		}
	}
	for _, bad := range []values{{1, 'a'}, {1, 'a', 'x', 0}, {1, 'a', 'b', 2}, {1, 'a', 's', 9, 'b'},
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 'a'}, {1, 'a', 'i', 0x80}} {
		if err := bad.each(into); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// FuzzValues: what is read can be written, and is read as the same.
func FuzzValues(f *testing.F) {
	f.Add([]byte(values(nil).with("n", kernels.Int(-3)).with("s", kernels.String("ü")).with("b", kernels.Bool(true))))
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second []string
		var again values
		if values(data).each(func(name string, v kernels.Value) {
			first, again = append(first, fmt.Sprintf("%q %s %q", name, v.Kind(), v)), again.with(name, v)
		}) != nil {
			return
		}
		err := again.each(func(name string, v kernels.Value) {
			second = append(second, fmt.Sprintf("%q %s %q", name, v.Kind(), v))
		})
		if err != nil || fmt.Sprint(first) != fmt.Sprint(second) {
			t.Errorf("%q: %v, and then %v, %v", data, first, second, err)
		}
	})
}

// BenchmarkRequest: a candidate on its way to a worker, of gemm's size.
func BenchmarkRequest(b *testing.B) {
	j := candidate(5)
	j.Source, j.Env["device"] = string(make([]byte, 12<<10)), newFake("a").device
	for i := range 24 {
		name := fmt.Sprintf("gene_%d", i)
		j.Variant.Genes[name], j.Env[name] = kernels.Int(i), i
		j.Env["let_"+name] = i
	}
	p, u, problem := &packer{}, &unpacker{}, &kernels.Problem{}
	b.ReportAllocs()
	for b.Loop() {
		packed, err := p.pack(j)
		if err != nil {
			b.Fatal(err)
		}
		r, err := decodeRequest(encodeRequest(nil, &request{Do: doEvaluate, Jobs: []*job{packed}}))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := u.unpack(r.Jobs[0], problem); err != nil {
			b.Fatal(err)
		}
	}
}
