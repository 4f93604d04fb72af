package eval_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

// Opcodes of sm_90's machine code: the lowest 12 bits of each instruction of 16 bytes, as nvdisasm names them.
const (
	opMUFU   = 0x308 // an exponential, or a reciprocal
	opDEPBAR = 0x9c5 // waits for groups of wgmma: all but so many, bits 8 and up of the second half
)

// softened are how many exponentials stand behind each wait that leaves groups of products unfinished, before the
// next wait.
func softened(t *testing.T, image []byte) (counts []int) {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Sections {
		if !strings.HasPrefix(s.Name, ".text.") {
			continue
		}
		code, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		beside := false
		for ; len(code) >= 16; code = code[16:] {
			op := binary.LittleEndian.Uint16(code) & 0xfff
			switch {
			case op == opDEPBAR:
				if beside = code[9]&7 > 0; beside {
					counts = append(counts, 0)
				}
			case op == opMUFU && beside:
				counts[len(counts)-1]++
			}
		}
	}
	return counts
}

var trouble = regexp.MustCompile(`\(C7\d+\)|setmaxnreg. ignored`)

// TestOverlap: the large tiles of attention on Hopper neither spill nor make ptxas wait for each product, and all
// exponentials of a tile come before the wait for the products that should be computed beside them.
func TestOverlap(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	p := compiler(t, "sm_90a")
	for name, keys := range map[string]int{"attention": 192, "prefill": 176} { // attention with a narrow first tile
		b := ofRun(t, name, 11) // d = 128
		f := b.Families[1]
		g := f.Defaults()
		maps.Copy(g, kernels.Genome{"consumers": kernels.Int(2), "block_kv": kernels.Int(keys), "stages": kernels.Int(2),
			"overlap": kernels.String("next_qk"), "rescale": kernels.String("exponents"), "turns": kernels.Bool(true),
			"grid": kernels.String("queue")})
		if name == "attention" {
			g["narrow"] = kernels.Int(64)
		}
		if err := f.Check(g, dev, kernels.FP16); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		job, err := b.Job(f, g, dev, kernels.FP16)
		if err != nil {
			t.Fatal(err)
		}
		out := compiles(t, p, fmt.Sprintf("%s %s", name, g.Key()), job.Source)
		if len(out.Resources) != 1 || out.Resources[0].SpillStores > 0 || trouble.MatchString(out.Log) {
			t.Errorf("%s: %+v\n%s", name, out.Resources, out.Log)
		}
		if n := softened(t, out.Cubin); len(n) != 1 || n[0] < keys/2 {
			t.Errorf("%s: %v exponentials beside products, expected %d", name, n, keys/2)
		}
	}
}

// TestProductsFit: products whose tokens are wgmma's columns, whoever adds the shares, halves of tiles that are stored
// in turn, and two sets of sums neither spill nor make ptxas wait for each product.
func TestProductsFit(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	p := compiler(t, "sm_90a")
	for _, c := range []struct{ problem, genes string }{
		{"gemm", "swap=true block_n=16 stages=4"},
		{"gemm", "swap=true block_n=16 stages=4 split_k=4 split_cluster=4"},
		{"gemm", "swap=true block_n=16 stages=4 split_k=3"},
		{"gemm", "swap=true block_n=16 block_k=128 stages=3 split_k=4 split_cluster=4 shares=interleaved"},
		{"gemm", "block_k=128 stages=6 split_k=128 split_cluster=8"},
		{"gemm", "block_m=128 block_n=224 stages=5 consumers=2 split_k=4 split_cluster=4"},
		{"gemm", "block_m=128 block_n=256 stages=4 consumers=2 split_k=8 split_cluster=8 epilogue=tensor"},
		{"gemm", "block_m=128 block_n=256 consumers=2 schedule=staggered blocks=persistent epilogue=tensor"},
		{"swiglu", "block_n=128 block_k=128 stages=4 l2=quarter_b"},
		{"gemm_fp8", "block_m=256 block_n=128 consumers=2 schedule=staggered blocks=persistent epilogue=tensor"},
		{"gemm_fp8", "block_n=128 block_k=256 promote=256 sum_sets=2"},
		{"gemm_fp8", "block_m=256 block_n=128 promote=256 stages=4 consumers=2 schedule=staggered blocks=persistent"},
		{"gemm_fp8", "block_m=256 block_n=128 promote=256 stages=4 consumers=2 cluster_n=2 epilogue=tensor"},
	} {
		b := ofRun(t, c.problem, 1)
		f, err := b.Family("hopper")
		if err != nil {
			t.Fatal(err)
		}
		g := f.Defaults()
		for _, kv := range strings.Fields(c.genes) {
			name, value, _ := strings.Cut(kv, "=")
			g[name] = kernels.ParseValue(value)
		}
		job, err := b.Job(f, g, dev, kernels.FP16)
		if err = errors.Join(err, f.Check(g, dev, kernels.FP16)); err != nil {
			t.Fatal(err)
		}
		out := compiles(t, p, c.genes, job.Source)
		for _, r := range out.Resources {
			if r.SpillStores > 0 || trouble.MatchString(out.Log) {
				t.Errorf("%s: %+v\n%s", c.genes, r, out.Log)
			}
		}
	}
}

// TestOnePassFits: the large tiles of attention's gradients neither spill nor make ptxas wait for each product, and
// most exponentials are beside one.
func TestOnePassFits(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	p := compiler(t, "sm_90a")
	b := ofRun(t, "attention_backward", 7) // d = 128
	f, err := b.Family("onepass")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []kernels.Genome{
		{"exchanges": kernels.Int(2), "dk": kernels.String("first")},
		{"dq": kernels.String("next"), "dv": kernels.String("last")},
		{"step": kernels.Int(80), "transposed": kernels.Bool(true), "dv": kernels.String("last"),
			"exchanges": kernels.Int(2)},
		{"step": kernels.Int(80), "transposed": kernels.Bool(true), "dv": kernels.String("last"),
			"exchanges": kernels.Int(2), "adder": kernels.String("lanes"), "stages": kernels.Int(3)},
		{"step": kernels.Int(80), "transposed": kernels.Bool(true), "dv": kernels.String("last"),
			"exchanges": kernels.Int(2), "dk": kernels.String("next")},
	} {
		all := f.Defaults()
		all["consumers"] = kernels.Int(2)
		maps.Copy(all, g)
		job, err := b.Job(f, all, dev, kernels.FP16)
		if err != nil {
			t.Fatal(err)
		}
		out := compiles(t, p, all.Key(), job.Source)
		for _, r := range out.Resources {
			if r.SpillStores > 0 || trouble.MatchString(out.Log) {
				t.Errorf("%s: %+v\n%s", all.Key(), r, out.Log)
			}
		}
		if n := softened(t, out.Cubin); len(n) == 0 || slices.Max(n) < 24 {
			t.Errorf("%s: %v exponentials beside products, expected 24 and more", all.Key(), n)
		}
	}
}

// TestLatentFits: the family for Hopper of decode_mla does not spill, nor does ptxas wait for each product, whatever it
// copies and however it adds shares up.
func TestLatentFits(t *testing.T) {
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	p := compiler(t, "sm_90a")
	b := ofRun(t, "decode_mla", 3)
	f, err := b.Family("hopper")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []kernels.Genome{
		{},
		{"parts": kernels.Int(3), "cluster": kernels.Int(2), "split_by": kernels.String("waves")},
		{"parts": kernels.Int(9), "rescale": kernels.String("lazy"), "splits": kernels.Int(8),
			"combine": kernels.String("last_block")},
	} {
		all := f.Defaults()
		maps.Copy(all, g)
		for _, dtype := range []kernels.DType{kernels.FP16, kernels.BF16} {
			job, err := b.Job(f, all, dev, dtype)
			if err != nil {
				t.Fatal(err)
			}
			out := compiles(t, p, all.Key(), job.Source)
			for _, r := range out.Resources {
				if r.SpillStores > 0 || trouble.MatchString(out.Log) {
					t.Errorf("%s: %+v\n%s", all.Key(), r, out.Log)
				}
			}
		}
	}
}
