package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"darwarp/kernels"
)

// device is a simulated timer: 1 % noise per sample, a drift that wanders by 1 %, and 3 % of the samples hit by a
// spike.
type device struct {
	rng   *rand.Rand
	noise func(*rand.Rand) float64 // relative
	drift float64
	trend float64 // added to drift with every sample
	wary  float64 // what going second costs, relative

	promotes bool    // duels are about promotions alone
	sure     float64 // a gain that fewer pairs are enough for, as between long calls; 0: none
}

func gaussian(r *rand.Rand) float64 {
	e := 0.01 * r.NormFloat64()
	if r.Float64() < 0.03 {
		e += 0.3 * r.Float64()
	}
	return e
}

// heavy has no variance: Student's t with two degrees of freedom.
func heavy(r *rand.Rand) float64 {
	return 0.007 * r.NormFloat64() / math.Sqrt(r.ExpFloat64())
}

func newDevice(seed uint64) *device {
	d := &device{rng: rand.New(rand.NewPCG(seed, 99)), noise: gaussian}
	d.drift = 0.01 * d.rng.NormFloat64()
	return d
}

func (d *device) time(ns float64) float64 {
	const keep = 0.98 // of the drift from one sample to the next; it stays at 1 %
	d.drift = keep*d.drift + 0.01*math.Sqrt(1-keep*keep)*d.rng.NormFloat64() + d.trend
	return ns * math.Exp(d.drift+d.noise(d.rng))
}

// duel plays a whole duel in which the challenger really takes ratio of the champion's time.
func (d *device) duel(ratio float64, workloads int, seed uint64) *Duel {
	weights := slices.Repeat([]float64{1}, workloads)
	duel := NewDuel(weights, MinMargin, seed)
	if d.promotes {
		duel.Promotes()
	}
	if d.sure > 0 {
		duel.Sure(d.sure)
	}
	for i := 0; duel.More(); i++ {
		for w := range workloads {
			ns := 1e5 * float64(w+1)
			var a, b float64
			if ChampionFirst(i) {
				a = d.time(ns)
				b = d.time(ns*ratio) * (1 + d.wary)
			} else {
				b = d.time(ns * ratio)
				a = d.time(ns) * (1 + d.wary)
			}
			duel.Add(w, a, b)
		}
	}
	return duel
}

// TestPromotions counts verdicts over many simulated duels.
func TestPromotions(t *testing.T) {
	for _, c := range []struct {
		name     string
		ratio    float64
		set      func(*device)
		trials   int
		min, max float64 // share of Faster
		slower   float64 // share of Slower at most
	}{
		{"same kernel", 1, nil, 500, 0, 0.01, 0.01},
		{"gain of 1.5 %", 0.985, nil, 200, 0.9, 1, 0},
		{"gain of 0.2 %", 0.998, nil, 200, 0, 0.01, 0.01},
		{"loss of 1.5 %", 1.015, nil, 100, 0, 0, 1},
		{"same, steady drift", 1, func(d *device) { d.trend = 2e-5 }, 100, 0, 0.01, 0.01},
		{"same, second is slower", 1, func(d *device) { d.wary = 0.01 }, 100, 0, 0.01, 0.01},
		{"same, heavy tails", 1, func(d *device) { d.noise = heavy }, 100, 0, 0.01, 0.01},
		{"gain of 2 %, heavy tails", 0.98, func(d *device) { d.noise = heavy }, 100, 0.9, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			count := map[kernels.Verdict]int{}
			for i := range c.trials {
				d := newDevice(uint64(i))
				if c.set != nil {
					c.set(d)
				}
				v, _, _, _ := d.duel(c.ratio, 1, uint64(i)).Verdict()
				count[v]++
			}
			share := func(v kernels.Verdict) float64 { return float64(count[v]) / float64(c.trials) }
			if f := share(kernels.Faster); f < c.min || f > c.max {
				t.Errorf("promoted %.3f, want %g to %g (%v)", f, c.min, c.max, count)
			}
			if s := share(kernels.Slower); s > c.slower {
				t.Errorf("slower %.3f, want at most %g (%v)", s, c.slower, count)
			}
		})
	}
}

// longEnv multiplies the duels of a kernel with itself.
const longEnv = "DARWARP_STATS_LONG"

// TestSameKernelIsNotPromoted: of duels of a kernel with itself, as searches fight them, fewer than one in a thousand
// promotes; nor do duels of long calls, for which twenty pairs are enough.
func TestSameKernelIsNotPromoted(t *testing.T) {
	t.Run("60 pairs", func(t *testing.T) { testNotPromoted(t, 0) })
	t.Run("20 pairs", func(t *testing.T) { testNotPromoted(t, MinMargin) })
}

func testNotPromoted(t *testing.T, sure float64) {
	for name, set := range map[string]func(*device, *rand.Rand) float64{
		"noise of 1 %, spikes": func(*device, *rand.Rand) float64 { return 1 },
		"steady drift":         func(d *device, _ *rand.Rand) float64 { d.trend = 2e-5; return 1 },
		"second is slower":     func(d *device, _ *rand.Rand) float64 { d.wary = 0.01; return 1 },
		"heavy tails":          func(d *device, _ *rand.Rand) float64 { d.noise = heavy; return 1 },
		// As on an H200: 99 % of the ratios of 300 duels within 0.21 %, by where the machine code lies.
		"code lies elsewhere": func(d *device, r *rand.Rand) float64 {
			d.noise = func(r *rand.Rand) float64 { return 0.001 * r.NormFloat64() }
			return math.Exp(0.0008 * r.NormFloat64())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trials, rng, promoted := 60, rand.New(rand.NewPCG(1, 1)), 0
			if more, err := strconv.Atoi(os.Getenv(longEnv)); err == nil {
				trials *= more
			}
			for i := range trials {
				d := newDevice(uint64(i))
				d.promotes, d.sure = true, sure
				if v, _, _, _ := d.duel(set(d, rng), 1, uint64(i)).Verdict(); v == kernels.Faster {
					promoted++
				}
			}
			if t.Logf("%d of %d promoted", promoted, trials); promoted > trials/1000 {
				t.Errorf("%d of %d duels promote, expected fewer than one in 1,000", promoted, trials)
			}
		})
	}
}

// TestHopelessDuelsEnd: a duel that is about a promotion ends early for who is not faster, and not for who is.
func TestHopelessDuelsEnd(t *testing.T) {
	for _, c := range []struct {
		name     string
		ratio    float64
		set      func(*device)
		min, max float64 // share of Faster
		pairs    float64 // on average, at most
	}{
		{"same kernel", 1, nil, 0, 0, 105},
		{"loss of 1.5 %", 1.015, nil, 0, 0, 25},
		{"gain of 0.2 %", 0.998, nil, 0, 0.01, 165},
		{"gain of 1.5 %", 0.985, nil, 0.9, 1, 100},
		{"gain of 3 %", 0.97, nil, 0.98, 1, 65},
		{"same, second is slower", 1, func(d *device) { d.wary = 0.01 }, 0, 0, 145},
		{"gain of 2 %, heavy tails", 0.98, func(d *device) { d.noise = heavy }, 0.9, 1, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const trials = 100
			pairs, faster := 0, 0
			for i := range trials {
				d := newDevice(uint64(i))
				if d.promotes = true; c.set != nil {
					c.set(d)
				}
				duel := d.duel(c.ratio, 1, uint64(i))
				if v, _, _, _ := duel.Verdict(); v == kernels.Faster {
					faster++
				}
				pairs += duel.Pairs()
			}
			if f := float64(faster) / trials; f < c.min || f > c.max || float64(pairs) > c.pairs*trials {
				t.Errorf("promoted %.3f, expected %g to %g; %d pairs on average, at most %g expected", f, c.min, c.max,
					pairs/trials, c.pairs)
			}
		})
	}
}

// TestSureDuelsEnd: a gain that is clear after few pairs ends a duel that may end so, and nothing else does.
func TestSureDuelsEnd(t *testing.T) {
	for _, c := range []struct {
		ratio, sure float64
		pairs       int
		want        kernels.Verdict
	}{
		{0.97, 0.005, 20, kernels.Faster},
		{0.97, 0, 60, kernels.Faster},
		{0.997, 0.005, 60, kernels.Faster}, // not by more than is sure
		{1.03, 0.005, 60, kernels.Slower},
		{1, 0.005, 200, kernels.Same},
	} {
		d := NewDuel([]float64{1}, 0, 1)
		if c.sure > 0 {
			d.Sure(c.sure)
		}
		for i := 0; d.More(); i++ {
			jitter := 1 + 0.001*float64(i%5-2)
			d.Add(0, 1000, 1000*c.ratio*jitter)
		}
		if v, _, _, _ := d.Verdict(); v != c.want || d.Pairs() != c.pairs {
			t.Errorf("ratio %g, sure at %g: %s after %d pairs, expected %s after %d", c.ratio, c.sure, v, d.Pairs(), c.want,
				c.pairs)
		}
	}
}

// TestWinnersCurse sends 10,000 identical kernels through screen, fitness and a duel of the best eight: their fitness
// is too optimistic, the figures of their duels are not.
func TestWinnersCurse(t *testing.T) {
	const base = 1e5
	type fake struct{ fitness float64 }
	fakes := make([]fake, 0, 10_000)
	for i := range cap(fakes) {
		d := newDevice(uint64(i))
		screen := NewScreen(base)
		for !screen.Add(d.time(base)) {
		}
		if screen.Slow() {
			t.Fatalf("fake %d is screened out", i)
		}
		stop := NewStop(Limits{Min: Fitness.Min, Max: Fitness.Max, Noise: Fitness.Noise, GPU: Fitness.GPU, Wall: 1 << 62}, 1)
		for !stop.Add(d.time(base)) {
		}
		fakes = append(fakes, fake{Median(stop.Samples())})
	}
	slices.SortFunc(fakes, func(a, b fake) int { return cmp.Compare(a.fitness, b.fitness) })
	if apparent := 1 - fakes[0].fitness/base; apparent < 0.01 {
		t.Errorf("the best of 10,000 looks only %.2f %% faster: the simulation is too kind", 100*apparent)
	}
	for i := range fakes[:8] {
		v, ratio, _, _ := newDevice(uint64(1e6+i)).duel(1, 1, uint64(i)).Verdict()
		if v == kernels.Faster || math.Abs(ratio-1) > 0.005 {
			t.Errorf("finalist %d: %s at %.4f", i, v, ratio)
		}
	}
}

// TestWorkloads: the geometric mean over workloads decides, weighted.
func TestWorkloads(t *testing.T) {
	for _, c := range []struct {
		name    string
		weights []float64
		ratios  []float64
		want    kernels.Verdict
		mean    float64
	}{
		{"both faster", []float64{1, 1}, []float64{0.9, 0.95}, kernels.Faster, math.Sqrt(0.9 * 0.95)},
		{"they cancel", []float64{1, 1}, []float64{0.9, 1 / 0.9}, kernels.Same, 1},
		{"the heavy one wins", []float64{3, 1}, []float64{0.9, 1 / 0.9}, kernels.Faster, math.Sqrt(0.9)},
		{"the heavy one loses", []float64{1, 3}, []float64{0.9, 1 / 0.9}, kernels.Slower, 1 / math.Sqrt(0.9)},
	} {
		rng := rand.New(rand.NewPCG(7, 8))
		d := NewDuel(c.weights, MinMargin, 1)
		for d.More() {
			for w, r := range c.ratios {
				d.Add(w, 100*(1+0.001*rng.NormFloat64()), 100*r*(1+0.001*rng.NormFloat64()))
			}
		}
		v, ratio, lo, hi := d.Verdict()
		if v != c.want || math.Abs(ratio/c.mean-1) > 0.002 || !(lo <= ratio && ratio <= hi) {
			t.Errorf("%s: %s %.4f [%.4f, %.4f], want %s %.4f", c.name, v, ratio, lo, hi, c.want, c.mean)
		}
		for w, r := range d.Rounds() {
			if math.Abs(r.Ratio/c.ratios[w]-1) > 0.002 || r.Pairs != MinPairs || math.Abs(r.Champion-100) > 0.1 {
				t.Errorf("%s, workload %d: %+v", c.name, w, r)
			}
		}
	}
}

func TestDuelSequence(t *testing.T) {
	d := NewDuel([]float64{1, 1}, MinMargin, 1)
	if v, _, _, _ := d.Verdict(); v != kernels.Ambiguous || !d.More() {
		t.Fatalf("an empty duel is %s", v)
	}
	for range MinPairs - 1 {
		d.Add(0, 100, 50)
		d.Add(1, 100, 50)
	}
	if v, ratio, _, _ := d.Verdict(); v != kernels.Ambiguous || ratio != 0.5 || !d.More() {
		t.Errorf("one pair early: %s at %g", v, ratio)
	}
	d.Add(0, 100, 50)
	if v, _, _, _ := d.Verdict(); v != kernels.Ambiguous || !d.More() {
		t.Errorf("one workload early: %s", v)
	}
	d.Add(1, 100, 50)
	if v, _, _, hi := d.Verdict(); v != kernels.Faster || hi != 0.5 || d.More() {
		t.Errorf("complete: %s, upper bound %g", v, hi)
	}
}

// TestNoisyDuelEnds: an ambiguous duel ends at MaxPairs, in steps of any size.
func TestNoisyDuelEnds(t *testing.T) {
	for _, step := range []int{1, 7, 8} {
		rng := rand.New(rand.NewPCG(9, uint64(step)))
		d := NewDuel([]float64{1}, MinMargin, 1)
		for d.More() {
			for range step {
				d.Add(0, math.Exp(0.2*rng.NormFloat64()), math.Exp(0.2*rng.NormFloat64()))
			}
		}
		if v, _, _, _ := d.Verdict(); v != kernels.Ambiguous || d.Pairs() < MaxPairs || d.Pairs() >= MaxPairs+step {
			t.Errorf("steps of %d: %s after %d pairs", step, v, d.Pairs())
		}
	}
}

func TestBrokenPairs(t *testing.T) {
	d := NewDuel([]float64{1}, MinMargin, 1)
	n := 0
	for _, bad := range [][2]float64{{0, 1}, {1, 0}, {-1, -1}, {math.NaN(), 1}, {1, math.Inf(1)}} {
		for d.More() && n < 1e4 {
			d.Add(0, bad[0], bad[1])
			n++
		}
	}
	if v, _, _, hi := d.Verdict(); v != kernels.Ambiguous || d.Pairs() != 0 || d.More() || math.IsInf(hi, 0) {
		t.Errorf("%s with %d pairs of %d", v, d.Pairs(), n)
	}
}

func TestDuelRepeats(t *testing.T) {
	a, b := newDevice(5).duel(0.99, 2, 42), newDevice(5).duel(0.99, 2, 42)
	va, ra, la, ha := a.Verdict()
	vb, rb, lb, hb := b.Verdict()
	if va != vb || ra != rb || la != lb || ha != hb {
		t.Errorf("same data and seed: %s %g [%g, %g] and %s %g [%g, %g]", va, ra, la, ha, vb, rb, lb, hb)
	}
}

// TestDuelBy has a challenger that is far better at one workload and a little worse at the other.
func TestDuelBy(t *testing.T) {
	worst := func(logs []float64) float64 { return max(logs[0], logs[1]) }
	second := func(logs []float64) float64 { return logs[1] }
	for _, c := range []struct {
		name    string
		combine func([]float64) float64
		base    []float64 // the champion takes 100 and 300
		want    kernels.Verdict
		ratio   float64
	}{
		{"its worst shape is better", worst, []float64{50, 300}, kernels.Faster, 1.05 / 2},
		{"its worst shape is worse", worst, []float64{200, 300}, kernels.Slower, 1.05},
		{"relative to the champion", worst, []float64{0, 0}, kernels.Slower, 1.05},
		{"one shape", second, []float64{50, 300}, kernels.Slower, 1.05},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := NewDuel([]float64{1, 1}, MinMargin, 1).By(c.combine, c.base)
			for i := 0; d.More(); i++ {
				jitter := 1 + 0.001*float64(i%7)
				d.Add(0, 100*jitter, 50)
				d.Add(1, 300, 315*jitter)
			}
			v, ratio, lo, hi := d.Verdict()
			if v != c.want || math.Abs(ratio/c.ratio-1) > 0.01 || !(lo <= ratio && ratio <= hi) {
				t.Errorf("%s, %g in %g to %g: expected %s, %g", v, ratio, lo, hi, c.want, c.ratio)
			}
			if least, most := d.Range(); !(least <= lo && hi <= most) {
				t.Errorf("range %g to %g does not hold %g to %g", least, most, lo, hi)
			}
		})
	}
}
