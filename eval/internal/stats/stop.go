package stats

import (
	"slices"
	"time"
)

// Limits says when enough has been measured.
type Limits struct {
	Min   int           // samples at least, before Noise counts
	Max   int           // samples at most
	Noise float64       // relative standard error of the median to reach
	GPU   time.Duration // of measured time
	Wall  time.Duration // since NewStop

	Few   int           // samples that are as good as Min once they are of so much measured time; 0: none are
	FewIn time.Duration // together

	Long   int           // the same for samples that are longer still
	LongIn time.Duration // together

	Behind int // samples that are enough of what is behind the bar; 0: it needs as many as any other

	Soon   int           // the same for samples that are long; 0: they are no different
	SoonIn time.Duration // together
}

// Fitness is the rule for a candidate's ordinary time: half a percent, or half a second of device time. Samples
// of calls that move more than L2 holds last ten times as long as others.
var Fitness = Limits{Min: 15, Max: 200, Noise: 0.005, GPU: time.Second / 2, Wall: 3 * time.Second,
	Few: 5, FewIn: 10 * time.Millisecond, Long: 3, LongIn: 100 * time.Millisecond, Behind: 5,
	Soon: 3, SoonIn: 5 * time.Millisecond}

// Final is the rule for a figure that is published: more samples than a candidate's.
var Final = Limits{Min: 60, Max: 200, Noise: 0.002, GPU: time.Second / 2, Wall: 3 * time.Second}

// A processor that emulates a GPU is noisier, and slower by orders of magnitude: the rules ask for less there. A final
// figure, which is published, takes more.
var (
	Emulated      = Limits{Min: 4, Max: 20, Noise: 0.02, GPU: 15 * time.Millisecond, Wall: 500 * time.Millisecond}
	EmulatedFinal = Limits{Min: 15, Max: 60, Noise: 0.01, GPU: time.Second, Wall: 3 * time.Second}
)

// Stop decides when the samples of one kernel at one workload are enough.
type Stop struct {
	limits  Limits
	calls   int
	bar     float64 // ns a call; 0: none
	now     func() time.Time
	start   time.Time
	gpu     float64   // ns
	samples []float64 // in order of arrival
	sorted  []float64
	reason  string
}

// NewStop starts the rule and its wall clock. A sample is the mean time of calls that were timed together.
func NewStop(l Limits, calls int) *Stop { return newStop(l, calls, time.Now) }

func newStop(l Limits, calls int, now func() time.Time) *Stop {
	return &Stop{limits: l, calls: max(calls, 1), now: now, start: now()}
}

// Against tells the rule the time to beat, in ns per call, which allows for a coarser figure of what is behind it. 0:
// there is none.
func (s *Stop) Against(bar float64) *Stop {
	s.bar = bar
	return s
}

// Add takes one sample, in ns per call, and reports whether it was the last that is needed.
func (s *Stop) Add(ns float64) (done bool) {
	s.samples = append(s.samples, ns)
	at, _ := slices.BinarySearch(s.sorted, ns)
	s.sorted = slices.Insert(s.sorted, at, ns)
	s.gpu += ns * float64(s.calls)
	n := len(s.samples)
	switch {
	case s.enough(n) && Noise(s.sorted) < s.limits.Noise:
		s.reason = "settled"
	case s.behind(n):
		s.reason = "behind"
	case n >= s.limits.Max:
		s.reason = "samples"
	case s.gpu >= float64(s.limits.GPU):
		s.reason = "gpu time"
	case s.now().Sub(s.start) >= s.limits.Wall:
		s.reason = "wall time"
	}
	return s.reason != ""
}

// enough reports whether n samples say what the noise is.
func (s *Stop) enough(n int) bool {
	few := s.limits.Few > 0 && n >= s.limits.Few && s.gpu >= float64(s.limits.FewIn)
	long := s.limits.Long > 0 && n >= s.limits.Long && s.gpu >= float64(s.limits.LongIn)
	return few || long || n >= s.limits.Min
}

// What is behind the bar cannot win, and parents are chosen by it with a standard error of mostNoise at most. It is
// known well enough after a few samples whose best is behind by more than leastBehind, and by fewSigmas; after as many
// as any other takes at least, once their median is behind by manySigmas. Few samples of which none is ahead are enough
// as soon as they settle: the interval of fewer than six is their whole range, and that of 15 has the twelfth at its
// end, so that no further ones bring it below the bar.
const (
	leastBehind = 0.05
	fewSigmas   = 8
	manySigmas  = 4
	mostNoise   = 0.02
)

// behind reports whether n samples are enough because they are far enough from the bar.
func (s *Stop) behind(n int) bool {
	soon := s.limits.Soon > 0 && n >= s.limits.Soon && s.gpu >= float64(s.limits.SoonIn)
	if s.limits.Behind == 0 || n < s.limits.Behind && !soon || s.bar <= 0 {
		return false
	}
	noise, best := Noise(s.sorted), s.sorted[0]/s.bar-1
	switch {
	case noise >= mostNoise:
		return false
	case best > leastBehind && fewSigmas*noise < best:
		return true
	case n >= s.limits.Min:
		return manySigmas*noise < Quantile(s.sorted, 0.5)/s.bar-1
	}
	return best >= 0 && noise < s.limits.Noise // whatever comes, its interval would not be below the bar
}

// Samples are the samples so far, in order of arrival.
func (s *Stop) Samples() []float64 { return s.samples }

// The screen gives up on a kernel after one sample beyond firstSlow times the bar, or three of which the best is
// beyond bestSlow: three samples reliably show that a kernel is that much slower than the bar.
const (
	screenSamples = 3
	firstSlow     = 4
	bestSlow      = 1.5
)

// Screen spends at most three samples to find out whether a kernel is far from the time to beat.
type Screen struct {
	bar  float64
	n    int
	best float64
	slow bool
}

// NewScreen takes the time to beat in ns per call; 0 means that there is none and nothing is slow.
func NewScreen(bar float64) *Screen { return &Screen{bar: bar} }

// Add takes one sample, in ns per call, and reports whether the screen is over.
func (s *Screen) Add(ns float64) (done bool) {
	if s.n == 0 || ns < s.best {
		s.best = ns
	}
	s.n++
	limit := bestSlow * s.bar
	if s.n == 1 {
		limit = firstSlow * s.bar
	}
	over := s.n >= screenSamples
	s.slow = s.bar > 0 && s.best > limit && (over || s.n == 1)
	return over || s.slow
}

// Slow reports whether the kernel is not worth more samples.
func (s *Screen) Slow() bool { return s.slow }
