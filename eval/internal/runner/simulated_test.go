package runner

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
	"darwarp/templates"
)

// What a search of `39_L2Norm` (32768x65535 in fp32) took of an H200 on 2026-11-28, by its trace.
const (
	simCompilers = 16
	simSlots     = 3
	simInFlight  = simCompilers + 2*simSlots

	simPlain  = 300 * time.Millisecond // to compile a point
	simVector = 550 * time.Millisecond // and one of whole words, with many loads in flight
	simTimes  = 240 * time.Millisecond // to time it
	simSteady = 50 * time.Millisecond  // a sample of a duel
	simFresh  = 39 * time.Millisecond  // a sample of a fresh half, for each of the sets
	simUnseen = 95 * time.Millisecond  // a sample on inputs that never come again, for each of the sets
	simBank   = 175 * time.Millisecond // to gate either side on a bank
)

// simGate is how long a candidate has the device at the gate, part by part.
var simGate = []time.Duration{65 * time.Millisecond, 150 * time.Millisecond, 130 * time.Millisecond}

const simFamily = `arch = "sm_90a"
[[gene]]
name = "threads"
values = [32, 64, 128, 256, 512, 1024]
default = 256
[[gene]]
name = "cluster"
values = [1, 2, 4, 8]
default = 1
[[gene]]
name = "vector"
values = [1, 2, 4]
default = 1
[[gene]]
name = "items"
values = [1, 2, 4, 8, 16]
default = 1
[[gene]]
name = "blocks"
values = [1, 2, 3, 4]
default = 1
[[launch]]
entry = "k"
grid = ["1"]
block = ["1"]
args = ["out"]
[[start]]
threads = 1024
cluster = 8
vector = 4
items = 4
[[start]]
threads = 512
cluster = 8
vector = 4
items = 4
[[start]]
threads = 1024
cluster = 4
vector = 4
items = 4
[[start]]
threads = 512
cluster = 8
vector = 4
items = 4
blocks = 3
[[start]]
threads = 512
cluster = 8
vector = 4
items = 8
[[start]]
threads = 256
cluster = 8
vector = 4
items = 8
[[start]]
threads = 512
cluster = 4
vector = 4
items = 4
`

// simRules are those that a naive start is left by.
type simRules struct {
	likely bool // points to try first go before others
	keep   bool // duels with a naive start that is well behind, and the trial of who has won, have the device alone
	goOn   bool // openings have steps between, and the pairs of those before
	sets   int  // of a fresh sample, of the three of a bank
	pairs  int  // where no opening decides
	// warmUps are samples of a request that do not count.
	warmUps float64
}

// simulated is that GPU, with the turns and slots of this package.
type simulated struct {
	*Runner
	simRules
	compilers chan struct{}

	mu      sync.Mutex
	busy    time.Duration // of the device
	planted kernels.ID
	quiet   bool // the noise is known
}

func newSimulated(rules simRules) *simulated {
	d := &simulated{Runner: New(Setup{}, ""), simRules: rules, compilers: make(chan struct{}, simCompilers)}
	d.MakeSlots(simSlots)
	return d
}

func (d *simulated) Device() kernels.Device { return kernels.Device{Kind: "cuda", Name: "simulated"} }
func (d *simulated) Slots() int             { return simInFlight }
func (d *simulated) InOrder() bool          { return false }
func (d *simulated) Provenance() kernels.Provenance {
	return kernels.Provenance{Protocol: "simulated"}
}
func (d *simulated) Capabilities() kernels.Capabilities { return kernels.Capabilities{Trial: d.Trial} }

// simMillis is how long a call takes. The point that is planted is the best; what is no point to try first takes longer
// than all that are but one.
func simMillis(g kernels.Genome) float64 {
	known := map[string]float64{"256 1 1 1 1": 10.3, "1024 8 4 4 1": 17.3, "512 8 4 4 1": 6.05, "1024 4 4 4 1": 6.87,
		"512 8 4 4 3": 5.5, "512 8 4 8 1": 6.3, "256 8 4 8 1": 10, "512 4 4 4 1": 6.14}
	key := fmt.Sprint(g["threads"], g["cluster"], g["vector"], g["items"], g["blocks"])
	if ms := known[key]; ms > 0 {
		return ms
	}
	h := fnv.New32()
	_, _ = h.Write([]byte(key))
	return 7.4 + 30*float64(h.Sum32()%1000)/1000
}

// use has the device for so long.
func (d *simulated) use(ctx context.Context, long time.Duration) error {
	if err := d.Runner.mu.take(ctx, callerOf(ctx)); err != nil {
		return err
	}
	defer d.Runner.mu.Unlock()
	time.Sleep(long)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy += long
	return nil
}

// gate has the device part by part, in a slot.
func (d *simulated) gate(ctx context.Context, urgent bool, parts ...time.Duration) error {
	slot, err := d.Slot(ctx, urgent)
	if err != nil {
		return err
	}
	defer d.Free(slot)
	for _, long := range parts {
		if err := d.use(Holding(ctx), long); err != nil {
			return err
		}
	}
	return nil
}

func (d *simulated) Evaluate(ctx context.Context, job *kernels.Job) (r kernels.Result, err error) {
	g := job.Variant.Genes
	long := simPlain
	if g["vector"] == kernels.Int(4) {
		long = simVector
	}
	d.compilers <- struct{}{}
	time.Sleep(long)
	<-d.compilers
	ctx = Candidate(ctx, d.likely && job.Likely)
	if err = d.gate(ctx, false, simGate...); err != nil {
		return r, err
	}
	ns := 1e6 * simMillis(g)
	bar := job.Bar.Times()["large"]
	if bar == 0 || ns < 2*bar {
		err = d.use(ctx, simTimes)
	}
	if ns == 5.5e6 {
		d.mu.Lock()
		d.planted = job.ID
		d.mu.Unlock()
	}
	r.Outcome, r.Code = kernels.OK, job.ID.String()
	r.Times = []kernels.Timing{{Workload: "large", Median: ns, Lo: ns * 0.999, Hi: ns * 1.001, Samples: 5,
		Tier: "fitness"}}
	return r, err
}

// half takes pairs until the rules have a verdict, and the device for as long as these take.
func (d *simulated) half(ctx context.Context, ratio float64, sample time.Duration) error {
	steps := [][2]float64{{3, 0.5}, {10, 0.15}}
	if d.goOn {
		steps = [][2]float64{{3, 0.5}, {4, 0.45}, {7, 0.25}, {10, 0.15}}
	}
	had := 0.
	for i, s := range steps {
		if i+1 < len(steps) && i > 0 && ratio > 1-s[1] {
			continue
		}
		if err := d.use(ctx, time.Duration(2*(s[0]-had)+d.warmUps)*sample); err != nil || ratio < 1-s[1] {
			return err
		}
		if d.goOn {
			had = s[0]
		}
	}
	blocks := d.pairs / 20
	if !d.quiet { // nor is the noise known
		d.quiet, blocks = true, 2*blocks
	}
	for range blocks {
		if err := d.use(ctx, time.Duration(40+d.warmUps)*sample); err != nil {
			return err
		}
	}
	return nil
}

// kept keeps the device as Duels.Kept does.
func (d *simulated) kept(job *kernels.Job) (release func()) {
	if !d.keep || !job.Foremost {
		return func() {}
	}
	return d.Keep()
}

func (d *simulated) Duel(ctx context.Context, champion, challenger *kernels.Job) (out kernels.Duel, err error) {
	release := d.kept(challenger)
	defer func() { time.AfterFunc(100*time.Millisecond, release) }()
	ctx = Urgently(ctx)
	out.Ratio = simMillis(challenger.Variant.Genes) / simMillis(champion.Variant.Genes)
	out.Lo, out.Hi, out.Verdict = out.Ratio*0.999, out.Ratio*1.001, kernels.Slower
	if err = d.gate(ctx, true, simGate...); err == nil {
		err = d.half(ctx, out.Ratio, simSteady)
	}
	if err != nil || out.Ratio >= 1 {
		return out, err
	}
	out.Verdict = kernels.Faster
	if err = d.gate(ctx, true, simBank); err == nil {
		err = d.gate(ctx, true, simBank)
	}
	if err == nil {
		err = d.half(ctx, out.Ratio, time.Duration(d.sets)*simFresh)
	}
	return out, err
}

func (d *simulated) Trial(ctx context.Context, job *kernels.Job, parts ...kernels.TrialPart) (
	t kernels.Trial, err error) {
	t.ID = job.ID
	if parts[0] == kernels.TrialClasses {
		defer d.kept(job)()
		ctx = Urgently(ctx)
	}
	const slice = 200 * time.Millisecond
	requests := map[kernels.TrialPart][]time.Duration{
		kernels.TrialClasses:   {150 * time.Millisecond, 150 * time.Millisecond},
		kernels.TrialFresh:     {slice, slice, time.Duration((12+int(d.warmUps))*d.sets) * simUnseen},
		kernels.TrialDisturbed: {slice, slice, slice, slice, slice, slice, slice, slice},
	}
	for _, part := range parts {
		for _, long := range requests[part] {
			if err == nil {
				err = d.use(ctx, long)
			}
		}
		t.Enter(kernels.Doubt{Part: part, Verdict: kernels.Passed})
	}
	return t, err
}

// simReign is when a search of this GPU has a champion that is not the naive start, when the point that is planted
// reigns, and for how long the device was busy until then.
func simReign(t *testing.T, rules simRules, seed uint64, long time.Duration) (first, best, busy time.Duration) {
	t.Helper()
	cfg := simConfig(t, seed, long)
	synctest.Test(t, func(t *testing.T) {
		d := newSimulated(rules)
		s, err := evolve.New(cfg, d, nil)
		if err != nil {
			t.Fatal(err)
		}
		began, champions := time.Now(), 0
		_, err = s.Run(t.Context(), func(e evolve.Event) {
			if e.Kind != evolve.KindChampion {
				return
			}
			if champions++; champions == 2 {
				first = time.Since(began)
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			if e.ID == d.planted && best == 0 {
				best, busy = time.Since(began), d.busy
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return first, best, busy
}

func simConfig(t *testing.T, seed uint64, long time.Duration) evolve.Config {
	t.Helper()
	b, err := templates.FromFiles(map[string][]byte{"problem.toml": []byte(kernelstest.Toy),
		"reference.cu": []byte("// none\n"), "rows.toml": []byte(simFamily), "rows.cu.tmpl": []byte(
			"// {{.threads}} {{.cluster}} {{.vector}} {{.items}} {{.blocks}}\n")})
	if err != nil {
		t.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	space, err := kernels.NewSpace(b.Families[0], dev, kernels.FP32, nil)
	if err != nil {
		t.Fatal(err)
	}
	large := b.Problem.Workloads[1:]
	return evolve.Config{Bundle: b, DType: kernels.FP32, Workloads: large, Seed: seed, Spaces: []*kernels.Space{space},
		Budget: evolve.Budget{For: long}}
}
