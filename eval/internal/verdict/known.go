package verdict

import (
	"context"
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// describe adds what the driver knows to what the compiler said.
func (e *Evaluation) describe(fromDriver []kernels.Resources) {
	for _, d := range fromDriver {
		for i := range e.Res.Resources {
			if r := &e.Res.Resources[i]; r.Entry == d.Entry {
				r.Registers, r.StaticSmem, r.DynamicSmem, r.BlocksPerSM, r.Occupancy = d.Registers, d.StaticSmem, d.DynamicSmem,
					d.BlocksPerSM, d.Occupancy
				r.Stack = max(r.Stack, d.Stack)
			}
		}
	}
}

// remember keeps what is known of right outputs, for the check of timed launches.
func (e *Evaluation) remember(reply device.GateReply) {
	right := withAll(nil, e.Right)
	for _, i := range ran(&reply) {
		right[i] = reply.Cases[i]
	}
	e.mu.Lock() // a later gate of the same kernel may be looking at it
	e.Right = right
	e.mu.Unlock()
	if e.only != nil {
		return
	}
	if e.Elapsed == nil {
		e.Elapsed = map[string]float64{}
	}
	e.lost = reply.Lost
	e.prepared(right)
	e.laps = map[string]int{}
	for _, w := range e.Cfg.Workloads {
		for _, i := range e.Cases.Seeds(w.Name) {
			if !right[i].Ran {
				continue
			}
			if ns := right[i].Nanos; e.laps[w.Name] == 0 || ns < e.Elapsed[w.Name] {
				e.Elapsed[w.Name] = ns
			}
			e.laps[w.Name]++
		}
	}
}

// preparing is how many ns what is done before a call takes at a workload: the most of its sets.
func (e *Evaluation) preparing(workload string) (ns float64) {
	for _, i := range e.Cases.Seeds(workload) {
		ns = max(ns, e.Right[i].Prepared)
	}
	return ns
}

// prepared keeps what was done before the calls at each workload.
func (e *Evaluation) prepared(right map[int]device.CaseReply) {
	e.Res.Prepared = nil
	for _, w := range e.Cfg.Workloads {
		one := kernels.Prepared{Workload: w.Name}
		for _, i := range e.Cases.Seeds(w.Name) {
			if ns := right[i].Prepared; ns > 0 && (one.Nanos == 0 || ns < one.Nanos) {
				one.Nanos, one.Bytes = ns, e.Calls[i].PackedBytes()
			}
		}
		if one.Nanos > 0 {
			e.Res.Prepared = append(e.Res.Prepared, one)
		}
	}
}

// hash is what the outputs on a case have to hash to, where that is known: of a problem with atomics equal outputs may
// differ in their bits.
func (e *Evaluation) hash(i int) (uint64, bool) {
	r, ok := e.Right[i]
	return r.Hash, ok && !e.Cfg.Problem.Check.Atomics
}

// Learn gates a candidate on those of the cases that it was not judged on yet. It reports whether all went well; if
// not, the outcome says what did not.
func (e *Evaluation) Learn(ctx context.Context, cases []int) (bool, error) {
	var missing []int
	for _, i := range cases {
		if _, ok := e.Right[i]; !ok {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return true, nil
	}
	slices.Sort(missing)
	e.only = missing
	err := e.Gate(ctx)
	return err == nil && e.Res.Outcome == kernels.Unknown, err
}
