package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"darwarp/kernels"
)

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		values []float64
		q      float64
		want   float64
	}{
		{[]float64{7}, 0.5, 7},
		{[]float64{1, 2}, 0.5, 1.5},
		{[]float64{1, 2, 3, 4, 5}, 0.25, 2},
		{[]float64{1, 2, 3, 4}, 0, 1},
		{[]float64{1, 2, 3, 4}, 1, 4},
		{[]float64{0, 10}, 0.3, 3},
	} {
		if got := Quantile(c.values, c.q); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Quantile(%v, %g) = %g, want %g", c.values, c.q, got, c.want)
		}
	}
	if got := Median([]float64{5, 1, 3}); got != 3 {
		t.Errorf("Median = %g", got)
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("the median of nothing is a number")
	}
}

// TestInterval: the 95 % interval covers the true median about that often.
func TestInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{3, 15, 60, 200} {
		covered, trials := 0, 2000
		for range trials {
			v := make([]float64, n)
			for i := range v {
				v[i] = math.Exp(rng.NormFloat64()) // skewed; its median is 1
			}
			m, lo, hi := Interval(v)
			if !(lo <= m && m <= hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
				t.Fatalf("n=%d: %g not in [%g, %g]", n, m, lo, hi)
			}
			if lo <= 1 && 1 <= hi {
				covered++
			}
		}
		if share := float64(covered) / float64(trials); n >= 6 && (share < 0.94 || share > 0.985) {
			t.Errorf("n=%d: covers %.3f", n, share)
		}
	}
}

// TestNoise: it estimates the scatter of the median, and one spike does not change it.
func TestNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 50
	var medians, noises []float64
	for range 2000 {
		v := make([]float64, n)
		for i := range v {
			v[i] = 100 + rng.NormFloat64()
		}
		slices.Sort(v)
		medians, noises = append(medians, Quantile(v, 0.5)), append(noises, Noise(v))
	}
	mean, sq := 0.0, 0.0
	for _, m := range medians {
		mean += m / float64(len(medians))
	}
	for _, m := range medians {
		sq += (m - mean) * (m - mean) / float64(len(medians))
	}
	// 1.25*IQR/sqrt(n) is 1.25*1.35 sigma where the median's own is 1.25 sigma, which is on the safe side.
	if got, want := Median(noises), 1.35*math.Sqrt(sq)/100; got < 0.9*want || got > 1.1*want {
		t.Errorf("noise %g, want about %g", got, want)
	}
	if !math.IsInf(Noise([]float64{1}), 1) {
		t.Error("one sample has a noise")
	}
}

func TestStop(t *testing.T) {
	at := time.Unix(0, 0)
	steady := func(i int) float64 { return 1000 + float64(i%3) }
	wild := func(i int) float64 { return 1000 * float64(1+i%7) }
	for _, c := range []struct {
		name    string
		sample  func(int) float64
		calls   int
		bar     float64
		wall    time.Duration // passing with every sample
		want    string
		samples int
	}{
		{"settles", steady, 1, 0, 0, "settled", 15},
		{"settles within long samples", steady, 2000, 0, 0, "settled", 5},
		{"settles within samples that get long", steady, 1000, 0, 0, "settled", 10},
		{"long and noisy", func(i int) float64 { return 1000 * float64(1+i%7) }, 1000, 0, 0, "gpu time", 126},
		{"stays noisy", wild, 1, 0, 0, "samples", 200},
		{"uses up the device", func(i int) float64 { return 1e8 * float64(1+i%2) }, 1, 0, 0, "gpu time", 4},
		{"long samples", func(int) float64 { return 40e6 }, 1, 0, 0, "settled", 3},
		{"samples that are not as long", func(int) float64 { return 20e6 }, 1, 0, 0, "settled", 5},
		{"calls count", func(i int) float64 { return 1e6 * float64(1+i%2) }, 100, 0, 0, "gpu time", 4},
		{"wall clock", wild, 1, 0, 100 * time.Millisecond, "wall time", 30},
		{"behind", steady, 1, 900, 0, "behind", 5},
		{"behind, with long samples", steady, 2000, 900, 0, "behind", 3},
		{"behind, with samples that get long", steady, 1500, 900, 0, "behind", 4},
		{"hardly behind, with long samples", steady, 2000, 999, 0, "behind", 3},
		{"one of long samples is ahead", steady, 2000, 1000.5, 0, "settled", 5},
		{"all of long samples are ahead", steady, 2000, 1010, 0, "settled", 5},
		{"long samples that have not settled", func(i int) float64 { return 1000 + 100*float64(i%3) }, 2000, 990, 0,
			"behind", 130},
		{"none knows the bar of long samples", steady, 2000, 0, 0, "settled", 5},
		{"hardly behind", steady, 1, 999, 0, "behind", 5},
		{"at the bar", steady, 1, 1000, 0, "behind", 5},
		{"one is ahead", steady, 1, 1000.5, 0, "settled", 15},
		{"ahead", steady, 1, 2000, 0, "settled", 15},
		{"behind but for the first", func(i int) float64 { return 1000 - 101*float64(max(0, 1-i)) }, 1, 900, 0,
			"settled", 15},
		{"hardly behind, not settled", func(i int) float64 { return 1000 + 5*float64(i*7%11-5) }, 1, 970, 0, "behind", 16},
		{"behind, but not all of it", func(i int) float64 { return 1000 + 5*float64(i*7%11-5) }, 1, 960, 0, "behind", 15},
		{"as noisy, at the bar", func(i int) float64 { return 1000 + 5*float64(i*7%11-5) }, 1, 1000, 0, "settled", 57},
		{"behind, and as noisy as the gap", wild, 1, 500, 0, "samples", 200},
		{"far behind, and noisy", func(i int) float64 { return 1000 + 100*float64(i*7%5) }, 1, 500, 0, "behind", 109},
	} {
		now := at
		s := newStop(Fitness, c.calls, func() time.Time { return now }).Against(c.bar)
		n := 0
		for done := false; !done; n++ {
			now = now.Add(c.wall)
			done = s.Add(c.sample(n))
		}
		if s.reason != c.want || n != c.samples || len(s.Samples()) != n {
			t.Errorf("%s: %q after %d, want %q after %d", c.name, s.reason, n, c.want, c.samples)
		}
	}
}

// TestSoonLosesNoClaim: whoever is given up after few samples would not have claimed to be faster after as many as
// others get, at any noise and drift, be they long or not; and most of those that are slower are.
func TestSoonLosesNoClaim(t *testing.T) {
	patient := Fitness
	patient.Soon, patient.Behind = 0, 0
	for _, c := range []struct {
		ratio float64 // of the bar
		set   func(*device)
		least float64 // share of those that are given up
	}{
		{0.98, nil, 0}, {0.995, nil, 0}, {0.995, quiet, 0}, {0.998, quiet, 0}, {1, quiet, 0.1}, {1.004, quiet, 0.5},
		{1.03, quiet, 0.99}, {1.1, nil, 0.8},
	} {
		soon, lost := 0, 0
		const trials = 4000
		for i := range trials {
			calls := 2 + 18*(i%2) // 200 us or 2 ms
			d := newDevice(uint64(i))
			if c.set != nil {
				c.set(d)
			}
			var samples []float64
			timed := func(l Limits) (n int, claims bool) {
				s := NewStop(l, calls).Against(1e5)
				for done := false; !done; n++ {
					if n == len(samples) {
						samples = append(samples, d.time(1e5*c.ratio))
					}
					done = s.Add(samples[n])
				}
				_, _, hi := Interval(slices.Clone(samples[:n])) // which sorts them
				return n, hi < 0.9975*1e5
			}
			n, claims := timed(Fitness)
			more, would := timed(patient)
			if n < more {
				soon++
			}
			if would && !claims {
				lost++
			}
		}
		if share := float64(soon) / trials; lost > 0 || share < c.least {
			t.Errorf("%g of the bar: %d claims are lost; %.3f are given up, at least %.2f are to be", c.ratio, lost, share,
				c.least)
		}
	}
}

func TestScreen(t *testing.T) {
	for _, c := range []struct {
		name    string
		bar     float64
		samples []float64
		n       int
		slow    bool
		best    float64
	}{
		{"fifty times slower", 10, []float64{500, 1, 1}, 1, true, 500},
		{"three times slower", 10, []float64{30, 31, 29}, 3, true, 29},
		{"one good sample saves it", 10, []float64{35, 30, 14}, 3, false, 14},
		{"one bad sample does not kill it", 10, []float64{14, 900, 900}, 3, false, 14},
		{"faster", 10, []float64{9, 9, 9}, 3, false, 9},
		{"no bar", 0, []float64{1e9, 1e9, 1e9}, 3, false, 1e9},
	} {
		s, n := NewScreen(c.bar), 0
		for done := false; !done; n++ {
			done = s.Add(c.samples[n])
		}
		if n != c.n || s.Slow() != c.slow || s.best != c.best {
			t.Errorf("%s: slow %v after %d, best %g", c.name, s.Slow(), n, s.best)
		}
	}
}

func TestFloor(t *testing.T) {
	c := kernels.Ceilings{Bandwidth: 4e12, L2: 10e12, Matrix: 800e12}
	for _, tc := range []struct {
		name         string
		flops, bytes float64
		c            kernels.Ceilings
		cache        string
		want         float64
	}{
		{"compute", 8e12, 1e6, c, "cold", 1e7},
		{"memory", 1e6, 4e9, c, "cold", 1e6},
		{"memory from L2", 1e6, 4e9, c, "hot", 4e5},
		{"hot with unknown L2", 0, 4e9, kernels.Ceilings{Bandwidth: 4e12}, "hot", 0},
		{"nothing known", 1e12, 1e12, kernels.Ceilings{}, "cold", 0},
	} {
		if got := Floor(tc.flops, tc.bytes, tc.c, tc.cache); math.Abs(got-tc.want) > 1e-6*tc.want {
			t.Errorf("%s: %g ns, want %g", tc.name, got, tc.want)
		}
	}
	if !Suspicious(94, 100) || Suspicious(96, 100) || Suspicious(1, 0) {
		t.Error("the margin below the floor is not 5 %")
	}
}
