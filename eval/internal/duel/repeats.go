package duel

import (
	"fmt"
	"math"

	"darwarp/eval/internal/stats"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// most is the upper end of the interval of a median.
func most(ratios []float64) float64 {
	_, _, hi := stats.Interval(ratios)
	return hi
}

// keepsAnswers finds a challenger out whose repeated calls are faster than its fresh ones, beyond the noise and
// beyond the naive start's and the champion's: it finds something that earlier calls have left. least makes one figure
// of a workload's ratios, which has to be so fast.
func (p *Duels) keepsAnswers(a verdict.Contestant, f *fight, t terms, least func([]float64) float64) error {
	rounds := f.Rounds()
	for k, i := range t.which {
		name, champions := p.Cfg.Workloads[i].Name, 0.0
		if len(f.repeat[k][0]) > 0 {
			_, champions, _ = stats.Interval(f.repeat[k][0])
		}
		again := repeats{f.repeat[k][1], rounds[k].Challenger}
		if why := p.repeatsTooFast(name, again, p.usualRepeat(name, a.Naive, champions), least); why != "" {
			return &verdict.Found{Side: kernels.TheChallenger, Outcome: kernels.Suspect, Detail: why}
		}
	}
	return nil
}

// repeats are a kernel's repeated calls at a workload.
type repeats struct {
	ratios []float64 // of the time of repeated calls to that of the fresh ones before
	fresh  float64   // ns, the median of a fresh call
}

// repeatsTooFast says why ratios of repeated to fresh calls are no honest kernel's at a workload; empty where they
// may be one's, and where there are none.
func (p *Duels) repeatsTooFast(workload string, r repeats, honest float64, least func([]float64) float64) string {
	if len(r.ratios) == 0 {
		return ""
	}
	if least(r.ratios) >= p.fewestRepeat(r, honest) {
		return ""
	}
	return fmt.Sprintf("%s: keeps answers: repeated calls on the same inputs take %.2f of the time of first calls; "+
		"for honest kernels it is %.2f", workload, stats.Median(r.ratios), honest)
}

// fewestRepeat is the ratio below which repeated calls are too fast.
func (p *Duels) fewestRepeat(r repeats, honest float64) float64 {
	margin := repeatMargin + repeatSlack/r.fresh
	if p.Device.Kind == "cpu" {
		margin = emulatedRepeatMargin
	}
	return (1 - margin) * honest
}

// usualRepeat is the least ratio of repeated to fresh calls that an honest kernel may have at a workload, by the
// naive start and the champion of the duel: 1 is what it should be.
func (p *Duels) usualRepeat(workload string, naive bool, champions float64) float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if champions > 0 && naive {
		p.repeats[workload] = champions
	}
	honest := 1.0
	for _, r := range []float64{champions, p.repeats[workload]} {
		if r > 0 {
			honest = math.Min(honest, r)
		}
	}
	return honest
}

// How much faster than those of honest kernels a kernel's repeated calls may be, over its fresh ones. On an H200
// medians of kernels that keep nothing lay within 0.98 and 1.02; an emulated one's second call finds the
// processor's caches warm. The first of a sample's calls fetches the machine code from memory, since refilling has
// pushed it out of the caches, and its repeat does not: large code of a kernel of 5 us took 0.45 us a call for that.
const (
	repeatMargin         = 0.05
	emulatedRepeatMargin = 0.1
	repeatSlack          = 500 // ns a call
)
