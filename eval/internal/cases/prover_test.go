package cases

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
	"darwarp/templates"
)

// answers is a device whose draws of a class miss what is left out, as its word says: M misses, U does not suit an
// accumulator, a dot finds all. The last letter goes for all further draws.
type answers map[string]string

// prove proves the first workload of the product, and lists the classes that were drawn.
func (a answers) prove(t *testing.T) (found map[string]Power, drawn []string, said string, err error) {
	t.Helper()
	p, err := kernels.ParseProblem("problem.toml", []byte(kernelstest.Product))
	if err != nil {
		t.Fatal(err)
	}
	left, seeds := map[string]string{}, map[uint64]bool{}
	for class, word := range a {
		left[class] = word
	}
	q := &Prover{Wanted: Wanted{Problem: p, DType: kernels.FP16, Workloads: p.Workloads[:1], Effort: Emulated(),
		RNG: rand.New(rand.NewPCG(1, 2))}, Log: slog.New(slog.DiscardHandler), Say: func(s string) { said += s }}
	q.Ask = func(_ context.Context, proof *device.Proof) (reply device.ProofReply, err error) {
		class := proof.Case.Class
		drawn = append(drawn, class)
		if seeds[proof.Case.Seed] {
			t.Errorf("%s is drawn again with the same numbers", class)
		}
		seeds[proof.Case.Seed] = true
		word := left[class]
		if word == "" {
			t.Fatalf("class %s is not in the table", class)
		}
		if len(word) > 1 {
			left[class] = word[1:]
		}
		switch word[0] {
		case 'M':
			reply.Missed = "an output without its first term"
		case 'U':
			reply.Unfit = "bf16"
		}
		return reply, nil
	}
	found, err = q.Prove(t.Context())
	return found, drawn, said, err
}

// TestRedraw: one draw that tells too little by chance refuses no session, and classes that often tell too little do.
func TestRedraw(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers answers
		bank    string // empty: refused
		draws   int    // of class normal
		told    bool   // that another class is scored on
	}{
		{"at once", answers{"normal": ".", "uniform": ".", "wide": ".", "needles": "."}, "normal", 2, false},
		{"another class", answers{"normal": "M", "uniform": ".", "wide": ".", "needles": "."}, "uniform", 1, true},
		{"by chance", answers{"normal": "M.", "uniform": "M", "wide": "M", "needles": "M"}, "normal", 4, false},
		{"another by chance", answers{"normal": "M", "uniform": "M.", "wide": "M.", "needles": "M"}, "uniform", 2, true},
		{"needles by chance", answers{"normal": "M", "uniform": "M", "wide": "M", "needles": "M."}, "needles", 2, true},
		{"two of three", answers{"normal": "M.M", "uniform": "M", "wide": "M", "needles": "M"}, "", 3, false},
		{"never", answers{"normal": "M", "uniform": "M", "wide": "M", "needles": "M"}, "", 2, false},
		{"an accumulator", answers{"normal": "U.", "uniform": "U.", "wide": "U.", "needles": "U."}, "", 1, false},
		{"an accumulator later", answers{"normal": "M.U", "uniform": "MU", "wide": "M", "needles": "M"}, "", 3, false},
	} {
		found, drawn, said, err := c.answers.prove(t)
		if got := found["64"].Bank; got != c.bank || (c.bank == "") != errors.Is(err, ErrUnfit) {
			t.Errorf("%s: a bank of %q, %v: expected %q", c.name, got, err, c.bank)
		}
		if err != nil && !strings.Contains(err.Error(), "the problem's check cannot be used: at 64 it would accept an ") {
			t.Errorf("%s: %v", c.name, err)
		}
		n := 0
		for _, class := range drawn {
			if class == "normal" {
				n++
			}
		}
		if n != c.draws || (said != "") != c.told {
			t.Errorf("%s: %d draws of class normal, expected %d, of %v; said %q", c.name, n, c.draws, drawn, said)
		}
		if slices.Contains(found["64"].Unfit, found["64"].Bank) {
			t.Errorf("%s: a bank that does not suit an accumulator", c.name)
		}
	}
}

// TestProofsAreCheap: to prove the check's power takes no more than two truths of the workload, and its sums are no
// shorter for that.
func TestProofsAreCheap(t *testing.T) {
	for _, c := range []struct {
		problem string
		dims    kernels.Dims
		summed  []string
	}{
		{"attention", kernels.Dims{"b": 4, "h": 16, "s": 4096, "d": 128, "causal": 0}, []string{"s", "d"}},
		{"attention", kernels.Dims{"b": 1, "h": 16, "s": 16384, "d": 128, "causal": 1}, []string{"s", "d"}},
		{"gemm", kernels.Dims{"m": 8192, "n": 8192, "k": 8192}, []string{"k"}},
	} {
		b, err := templates.Builtin(c.problem)
		if err != nil {
			t.Fatal(err)
		}
		p, took := b.Problem, 0.0
		q := &Prover{Wanted: Wanted{Problem: p, DType: kernels.FP16, Workloads: []kernels.Workload{{Dims: c.dims}},
			Effort: OnGPU(1 << 36), RNG: rand.New(rand.NewPCG(1, 2))}, Log: slog.New(slog.DiscardHandler), Say: func(string) {}}
		q.Ask = func(_ context.Context, proof *device.Proof) (device.ProofReply, error) {
			at, outputs := proof.Case.Dims, 0
			flops, _, err := p.Work(at, kernels.FP16)
			took += flops * float64(1+len(proof.Omissions))
			for _, o := range proof.Case.Outputs() {
				outputs += o.Elems()
			}
			for _, dim := range c.summed {
				if at[dim] != c.dims[dim] || outputs < 64*64 {
					t.Errorf("%s is proved at %s, with %d outputs", p.Name, proof.Case.Name, outputs)
				}
			}
			return device.ProofReply{}, err
		}
		if _, err := q.Prove(t.Context()); err != nil {
			t.Fatal(err)
		}
		whole, _, err := p.Work(c.dims, kernels.FP16)
		if err != nil {
			t.Fatal(err)
		}
		if took == 0 || took > 2*whole {
			t.Errorf("%s at %v: the proof takes as much as %.1f truths of the workload", p.Name, c.dims, took/whole)
		}
	}
}

// TestEndOfOneLine: where a sum goes along several axes the end of a line is a few of its terms, which only needles
// must tell, as they must those at either end of a long sum. A line that is a whole sum must be told by all classes.
func TestEndOfOneLine(t *testing.T) {
	p, err := kernels.ParseProblem("problem.toml", []byte(kernelstest.Product))
	if err != nil {
		t.Fatal(err)
	}
	axis := func(i int) device.Terms { return device.Terms{Axis: i} }
	for _, c := range []struct {
		shape          []int
		terms          []device.Terms
		always, needle int // ends of one line
	}{
		{[]int{16, 256}, []device.Terms{axis(1)}, 1, 1},
		{[]int{16, 64, 256}, []device.Terms{axis(1), axis(2)}, 0, 2},
		{[]int{16, 1, 256}, []device.Terms{axis(1), axis(2)}, 1, 1},
		{[]int{16, 64, 256}, []device.Terms{axis(1), {Buffer: 1, Axis: 0}}, 2, 2},
	} {
		q := &Prover{Wanted: Wanted{Problem: p, RNG: rand.New(rand.NewPCG(1, 2))}}
		for len(p.Check.Terms) < len(c.terms) {
			p.Check.Terms = append(p.Check.Terms, p.Check.Terms[0])
		}
		for class, want := range map[string]int{"normal": c.always, kernels.Needles: c.needle} {
			proof := &device.Proof{Case: device.Case{Class: class, Terms: c.terms,
				Buffers: []kernels.Buffer{{Shape: c.shape}, {Shape: []int{256}}}}}
			got := 0
			for _, o := range q.omissions(proof) {
				if o.Line >= 0 {
					got++
				}
			}
			if got != want {
				t.Errorf("%v, %d axes, %s: the end of one line %d times, expected %d", c.shape, len(c.terms), class, got, want)
			}
		}
	}
}
