package replay

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"darwarp/kernels"
)

// Evaluator answers from a record. It is safe for use by many goroutines.
type Evaluator struct {
	record     *Record
	objective  kernels.Objective
	mu         sync.Mutex
	weights    []float64 // by workload of the record, 0 where it does not count; replaced, never changed
	slots      int
	provenance string
	at         map[string]place // by family and genes
}

type place struct{ family, config int }

// New makes an evaluator that answers as if so many candidates were evaluated at a time. The workloads
// are those that are searched; nil means all that were recorded.
func New(r *Record, workloads []kernels.Workload, slots int) (*Evaluator, error) {
	e := &Evaluator{record: r, slots: max(1, slots), at: map[string]place{}}
	if workloads == nil {
		workloads = r.Workloads
	}
	for _, w := range workloads {
		if !slices.Contains(r.workloadNames(), w.Name) {
			return nil, fmt.Errorf("the recording has the workloads %s: others have no times",
				strings.Join(r.workloadNames(), ", "))
		}
	}
	e.weights = weightsOf(r, workloads)
	e.provenance = e.Provenance().Key()
	for i := range r.Families {
		f := &r.Families[i]
		for k := range f.Configs {
			e.at[f.Name+" "+f.genome(k).Key()] = place{i, k}
		}
	}
	return e, nil
}

func (r *Record) workloadNames() []string {
	var out []string
	for _, w := range r.Workloads {
		out = append(out, w.Name)
	}
	return out
}

// By has duels decided by another objective than the geometric mean.
func (e *Evaluator) By(o kernels.Objective) *Evaluator {
	e.objective = o
	return e
}

// Device is the GPU that was recorded, of kind replay.
func (e *Evaluator) Device() kernels.Device {
	d := e.record.Device
	d.Kind = "replay"
	return d
}

// Slots is how many candidates are in flight.
func (e *Evaluator) Slots() int { return e.slots }

// InOrder is true: a seed fixes the run.
func (e *Evaluator) InOrder() bool { return true }

// Capabilities are few: a recording has no machine. Time passes as the recorded costs say.
func (e *Evaluator) Capabilities() kernels.Capabilities {
	return kernels.Capabilities{Simulated: true, Weigh: e.Weigh}
}

// Provenance is the recording's, with the device as Device gives it.
func (e *Evaluator) Provenance() kernels.Provenance {
	p := e.record.Provenance
	p.Device = e.Device()
	return p
}

// Evaluate looks the job's genes up. Genes that were not recorded are Unsupported.
func (e *Evaluator) Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	if err := ctx.Err(); err != nil {
		return kernels.Result{}, err
	}
	at, ok := e.at[job.Variant.Label()]
	if !ok {
		return kernels.Result{Outcome: kernels.Unsupported, Detail: "not in the recording", Provenance: e.provenance}, nil
	}
	f := &e.record.Families[at.family]
	r := kernels.Result{
		Outcome:    f.Outcomes[f.Status[at.config]],
		Times:      e.record.timings(f, at.config),
		Cost:       kernels.Cost{Time: f.Cost[at.config]},
		Provenance: e.provenance,
	}
	if len(f.Code) > 0 {
		r.Code = f.Code[at.config]
	}
	if r.Outcome != kernels.OK {
		r.Detail = "recorded as " + r.Outcome.String()
	}
	return r, nil
}

// Duel compares recorded medians. There is no noise left in them, so the bounds are the ratio itself,
// and no pairs were measured.
func (e *Evaluator) Duel(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	a, err := e.times(ctx, champion)
	if err != nil {
		return kernels.Duel{}, err
	}
	b, err := e.times(ctx, challenger)
	if err != nil {
		return kernels.Duel{}, err
	}
	d := kernels.Duel{Champion: champion.ID.Short(), Challenger: challenger.ID.Short(), Provenance: e.provenance,
		Verdict: kernels.Same}
	workloads := e.weighed()
	levels, logs := make([]float64, len(workloads)), make([]float64, len(workloads))
	for i, w := range workloads {
		x, y := find(a, w.Name), find(b, w.Name)
		ratio := y / x
		d.Rounds = append(d.Rounds, kernels.DuelRound{Workload: w.Name, Cache: e.record.Cache, Champion: x, Challenger: y,
			Ratio: ratio, Lo: ratio, Hi: ratio})
		if base := champion.Base[w.Name]; base > 0 {
			levels[i] = math.Log(x / base)
		}
		logs[i] = levels[i] + math.Log(ratio)
	}
	d.Ratio = math.Exp(e.objective.Combine(logs, workloads) - e.objective.Combine(levels, workloads))
	d.Lo, d.Hi = d.Ratio, d.Ratio
	if d.Ratio < 1 {
		d.Verdict = kernels.Faster
	} else if d.Ratio > 1 {
		d.Verdict = kernels.Slower
	}
	return d, nil
}

func find(times []kernels.Timing, workload string) float64 {
	for _, t := range times {
		if t.Workload == workload {
			return t.Median
		}
	}
	return math.NaN()
}

func (e *Evaluator) times(ctx context.Context, job *kernels.Job) ([]kernels.Timing, error) {
	r, err := e.Evaluate(ctx, job)
	if err != nil {
		return nil, err
	}
	if r.Outcome != kernels.OK {
		return nil, fmt.Errorf("duel: %s was not recorded as working", job.Variant.Label())
	}
	return r.Times, nil
}
