package kernels

import (
	"errors"
	"sync/atomic"

	"darwarp/kernels/expr"
)

// Job asks an evaluator for a verdict on one candidate.
type Job struct {
	ID      ID       `json:"id"`
	Variant Variant  `json:"variant"`
	Source  string   `json:"source"` // rendered
	Plan    *Plan    `json:"-"`
	Env     expr.Env `json:"-"` // genes, lets, device and elem; dims are added per workload
	Acc     DType    `json:"acc"`
	Bar     *Bar     `json:"-"` // nil: measure everything
	// Each says that a workload which is far behind its bar does not end the others: the candidate may
	// be the best at one of them.
	Each bool `json:"each,omitempty"`
	// Base is the naive start's time by workload, ns a call: what the objective Worst is relative to in
	// a duel. Empty: the other side of the duel.
	Base map[string]float64 `json:"base,omitempty"`
	// Likely says that it is likely to be fast: it goes before other candidates.
	Likely bool `json:"likely,omitempty"`
	// Foremost says that it is well ahead of the champion: candidates wait for its duel and for what it has to stand
	// before it becomes champion.
	Foremost bool `json:"foremost,omitempty"`
}

// Bar is the time to beat by workload: a candidate that a few samples show to be far slower is not measured further. It
// is as good as the search knows when a candidate gets to the device, and not when it was asked for: meanwhile it
// was compiled, and others were faster. Its methods may be called at any time, from anywhere.
type Bar struct {
	times atomic.Pointer[map[string]float64]
	of    *Bar // the times are those of this one, each times by of its workload; nil: they are its own
	by    func(workload string) float64
}

// NewBar makes a bar of times by workload, ns a call.
func NewBar(times map[string]float64) *Bar {
	b := &Bar{}
	b.Set(times)
	return b
}

// Set replaces all times. The map is the bar's from now on.
func (b *Bar) Set(times map[string]float64) { b.times.Store(&times) }

// Times are those by workload, ns a call; not to be changed. Empty, as of a nil bar: nothing is known.
func (b *Bar) Times() map[string]float64 {
	if b == nil {
		return nil
	}
	if b.of != nil {
		return b.scaled()
	}
	if t := b.times.Load(); t != nil {
		return *t
	}
	return nil
}

// Scaled is the bar on another device, where a call at a workload takes by times as long. It follows this bar, and asks
// for the factors each time.
func (b *Bar) Scaled(by func(workload string) float64) *Bar { return &Bar{of: b, by: by} }

func (b *Bar) scaled() map[string]float64 {
	times := b.of.Times()
	out := make(map[string]float64, len(times))
	for w, ns := range times {
		out[w] = ns * b.by(w)
	}
	return out
}

// Resolve gives the plan its numbers at one size.
func (j *Job) Resolve(dims Dims) (Call, error) {
	env := make(expr.Env, len(j.Env)+len(dims))
	for k, v := range j.Env {
		env[k] = v
	}
	for k, v := range dims {
		env[k] = v
	}
	return j.Plan.Resolve(env)
}

// ErrLost is in the chain of an error that is neither a candidate's doing nor a reason to give up: what was asked for
// was lost by our own side, as Lost says of a candidate, and may be asked for again.
var ErrLost = errors.New("infrastructure")

// Score is the Geomean objective.
func Score(times []Timing, base map[string]float64, workloads []Workload) (float64, error) {
	return Geomean.Score(times, base, workloads)
}
