package duel

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/stats"
	"darwarp/eval/internal/verdict"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// noise is what a kernel shows against itself: no smaller difference is believed.
type noise struct {
	mu     sync.Mutex
	Level  float64   // relative; the largest of the session so far
	spread float64   // of the pairs, of the first time
	At     time.Time // the last time it was measured, zero never
}

// Known is the level.
func (n *noise) Known() float64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.Level
}

// noiseFresh is how long a measured noise is believed.
const noiseFresh = 30 * time.Minute

// stale reports whether the noise is to be measured.
func (n *noise) stale(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.At.IsZero() || now.Sub(n.At) >= noiseFresh
}

// enter takes a kernel's fight with itself. What a ratio is off 1 is noise as much as its standard error. The larger
// level stays: a machine that was loud once may be again.
func (n *noise) enter(f *fight, now time.Time) {
	_, ratio, _, _ := f.Verdict()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Level = max(n.Level, 1e-6, f.Noise(), math.Abs(math.Log(ratio))/2)
	if n.spread == 0 {
		logs := make([]float64, len(f.ratios))
		for i, r := range f.ratios {
			logs[i] = math.Log(r)
		}
		slices.Sort(logs)
		n.spread = stats.Quantile(logs, 0.75) - stats.Quantile(logs, 0.25)
	}
	n.At = now
}

// knowNoise measures a contestant against itself where that was not done recently. rest is false where the machine
// did not come to rest for it.
func (p *Duels) knowNoise(ctx context.Context, a verdict.Contestant) (rest bool, err error) {
	if !p.Noise.stale(time.Now()) {
		return true, nil
	}
	twin := a
	twin.Itself = true
	t, pairs := terms{cache: p.Cfg.Cache, which: p.All()}, stats.MinPairs
	if p.slow(a, twin, t) {
		pairs = Batch
	}
	f, err := p.fight(ctx, a, twin, t, pairs)
	if err != nil {
		return false, fmt.Errorf("noise: %w", err)
	}
	if f.given {
		return false, nil
	}
	p.Noise.enter(f, time.Now())
	return true, nil
}

// Control measures the noise again where that was not done for half an hour: the champion fights itself.
func (p *Duels) Control(ctx context.Context, champion *kernels.Job) error {
	if !p.Noise.stale(time.Now()) {
		return nil
	}
	a, err := p.Standing(ctx, champion)
	if err == nil {
		_, err = p.knowNoise(ctx, a)
	}
	if errors.Is(err, verdict.ErrFaulted) {
		err = fmt.Errorf("%w: the champion in its duel with itself: %w", kernels.ErrLost, err)
	}
	return err
}

// margin is the difference that a duel has to exceed.
func (p *Duels) margin() float64 {
	return stats.Margin(p.Noise.Known())
}

// CalmPauses are the waits after blocks that were disturbed, one after the other: a clock that falls for a second or
// two, and a visitor on the device, are gone by then.
var CalmPauses = []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}

// calmly takes a block of pairs at a workload of a fight until one is undisturbed. After the last pause the fight is
// given up; where only NVML speaks against the block it counts, for a GPU that stays hot is so for both sides, and
// is not waited for again.
func (p *Duels) calmly(ctx context.Context, f *fight, i int, take func() (device.DuelReply, error)) (
	device.DuelReply, error) {
	calm := &f.calm[i]
	if !f.itself && !f.fresh { // whose spread is what is to be known, and of which nobody knows it
		p.Noise.mu.Lock()
		calm.Spread = p.Noise.spread
		p.Noise.mu.Unlock()
	}
	for n := 0; ; n++ {
		began := time.Now()
		got, err := take()
		if err != nil {
			return got, err
		}
		var reasons []string
		if p.Health != nil {
			reasons = p.Health.Tags(began)
		}
		calm.Capped = slices.Contains(reasons, "power-cap")
		block := stats.Block{A: got.A.Samples, B: got.B.Samples, ClockA: got.A.Clock, ClockB: got.B.Clock}
		why := calm.Disturbed(block)
		hot := slowedBy(reasons)
		f.hot = f.hot || why == "" && n == len(CalmPauses)
		if why == "" && (hot == "" || f.hot) {
			calm.Learn(block)
			return got, nil
		}
		f.discarded[i]++
		if why == "" {
			why = "throttled: " + hot
		}
		p.Log.Warn("a block of a duel is discarded", "workload", f.workloads[i].Name, "why", why, "attempt", n+1)
		if n == len(CalmPauses) {
			f.given = true
			return device.DuelReply{}, nil
		}
		span := trace.Begin(ctx, "wait for a calm machine")
		err = runner.Pause(ctx, CalmPauses[n])
		span.End()
		if err != nil {
			return got, err
		}
	}
}

// slowedBy picks the reasons of NVML that say more of the machine than of a kernel. The power limit is a heavy
// kernel's own doing.
func slowedBy(reasons []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(reasons), func(r string) bool {
		return !slices.Contains([]string{"hardware-slowdown", "hardware-thermal", "software-thermal", "power-brake"}, r)
	}), ", ")
}
