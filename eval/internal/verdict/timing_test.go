package verdict

import (
	"testing"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/rig"
	"darwarp/kernels"
)

// TestBehind: who took 1.5 times the bar in every run at the gate is not timed, and one quick run among them is enough
// to be. A single run has to be much slower, and a launch's cost is held against nobody.
func TestBehind(t *testing.T) {
	const bar = 1e6
	for _, c := range []struct {
		name    string
		ran     []float64 // ns, by set
		each    bool
		far     float64 // of the other workload, on both of its sets
		timed   bool
		elapsed float64
	}{
		{"as fast", []float64{1e6, 1.1e6}, false, 1e6, true, 1e6},
		{"1.5 times, and a launch", []float64{1.54e6, 1.54e6}, false, 1e6, true, 1.54e6},
		{"more than that", []float64{1.6e6, 1.7e6}, false, 1e6, false, 1.6e6},
		{"once more than that", []float64{9e6, 1.2e6}, false, 1e6, true, 1.2e6},
		{"a single run of four times", []float64{4e6}, false, 1e6, true, 4e6},
		{"a single run of six times", []float64{6e6}, false, 1e6, false, 6e6},
		{"elsewhere", []float64{1e6, 1e6}, false, 3e6, false, 1e6},
		{"elsewhere, where each counts", []float64{1e6, 1e6}, true, 3e6, true, 1e6},
		{"everywhere, where each counts", []float64{3e6, 3e6}, true, 3e6, false, 3e6},
	} {
		e := evaluationOf(c.ran, c.far)
		e.Job.Each = c.each
		e.Job.Bar = kernels.NewBar(map[string]float64{"a": bar, "b": bar})
		if got := !e.hopeless(); got != c.timed || e.Elapsed["a"] != c.elapsed {
			t.Errorf("%s: timed %v, by %g ns", c.name, got, e.Elapsed["a"])
		}
		if !c.timed && (len(e.Res.Times) != 2 || e.Res.Times[0].Median != c.elapsed || e.Res.Times[0].Tier != "gate") {
			t.Errorf("%s: %+v", c.name, e.Res.Times)
		}
	}
}

// evaluationOf has passed a gate in which the sets of workload a took so long, and both of b.
func evaluationOf(a []float64, b float64) *Evaluation {
	r := &rig.Rig{Cases: &cases.Set{Banks: map[string][]int{}}}
	var reply device.GateReply
	for _, w := range []struct {
		name string
		ns   []float64
	}{{"a", a}, {"b", []float64{b, b}}} {
		r.Cfg.Workloads = append(r.Cfg.Workloads, kernels.Workload{Name: w.name})
		for _, ns := range w.ns {
			r.Cases.Banks[w.name] = append(r.Cases.Banks[w.name], len(reply.Cases))
			r.Cases.List = append(r.Cases.List, device.Case{Name: w.name, Workload: w.name})
			reply.Cases = append(reply.Cases, device.CaseReply{Ran: true, Nanos: ns})
		}
	}
	e := &Evaluation{Session: NewSession(r), Job: &kernels.Job{}}
	e.remember(reply)
	return e
}

// TestLoses: a gate ends early for nobody who may become champion by it, and only where a single workload is scored;
// the others are given up by one call of five times the bar or by two of 1.5 times, a launch's cost aside, where calls
// are long.
func TestLoses(t *testing.T) {
	for _, c := range []struct {
		name         string
		change       func(*Evaluation)
		bar          float64
		limit, twice float64
	}{
		{"long calls", func(*Evaluation) {}, 1e6, 5.05e6, 1.55e6},
		{"as long as those of softmax", func(*Evaluation) {}, 125e3, 675e3, 237.5e3},
		{"short calls", func(*Evaluation) {}, 80e3, 0, 0},
		{"no bar", func(*Evaluation) {}, 0, 0, 0},
		{"of a duel or a trial", func(e *Evaluation) { e.Urgent = true }, 1e6, 0, 0},
		{"some cases alone", func(e *Evaluation) { e.only = []int{0, 1} }, 1e6, 0, 0},
		{"emulated", func(e *Evaluation) { e.Device.Kind = "cpu" }, 1e6, 0, 0},
		{"two workloads", func(e *Evaluation) {
			e.Cfg.Workloads = append(e.Cfg.Workloads, kernels.Workload{Name: "b"})
		}, 1e6, 0, 0},
	} {
		e := evaluationOf([]float64{1, 1}, 1)
		e.Cfg.Workloads = e.Cfg.Workloads[:1]
		c.change(e)
		e.Job.Bar = kernels.NewBar(map[string]float64{"a": c.bar, "b": c.bar})
		limit, twice, sets := e.loses([]int{0, 1})
		if limit != c.limit || twice != c.twice || (len(sets) == 2) != (c.limit > 0) {
			t.Errorf("%s: beyond %g, twice beyond %g on %v", c.name, limit, twice, sets)
		}
	}
}
