package verdict

import (
	"strings"
	"testing"
	"time"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/rig"
	"darwarp/kernels"
)

// gatedAlone is a gate of one case, of weights.
func gatedAlone() *gating {
	w := kernels.Buffer{Name: "w", DType: kernels.FP32, Shape: []int{64}, Weights: true}
	r := &rig.Rig{Cfg: rig.Config{Problem: &kernels.Problem{}}}
	r.Cases = &cases.Set{List: []device.Case{{Name: "4096", Workload: "4096", Buffers: []kernels.Buffer{w}}}}
	e := &Evaluation{Session: NewSession(r), Job: &kernels.Job{}, only: []int{0},
		Calls: []kernels.Call{{Prepare: make([]kernels.Launch, 1)}}}
	return &gating{Evaluation: e, cases: []int{0}}
}

// TestSlowPreparing: who packs for longer than a trial could wait for is told so at the gate, and what is packed within
// the time is no fault.
func TestSlowPreparing(t *testing.T) {
	for _, c := range []struct {
		prepared time.Duration
		want     kernels.Outcome
		why      string
	}{
		{0, kernels.Unknown, ""},
		{80 * time.Millisecond, kernels.Unknown, ""},
		{600 * time.Millisecond, kernels.TimedOut, "4096: its launches with `prepare` take 600ms, at most 500ms"},
	} {
		g := gatedAlone()
		reply := device.GateReply{Cases: []device.CaseReply{{Ran: true, Hash: 7, Same: true, Nanos: 20e3,
			Prepared: float64(c.prepared)}}}
		if err := g.verdict(checker.JudgeReply{Hashes: []uint64{7}}, reply); err != nil {
			t.Fatal(err)
		}
		if g.Res.Outcome != c.want || !strings.HasPrefix(g.Res.Detail, c.why) {
			t.Errorf("%v: %v, %q", c.prepared, g.Res.Outcome, g.Res.Detail)
		}
		known := g.Right[0].Ran
		if known != (c.want == kernels.Unknown) {
			t.Errorf("%v: known as right %t", c.prepared, known)
		}
	}
}

// TestWrittenInputsComeFirst: who writes to an input is told so, whatever became of outputs; of other strays a wrong
// value says more.
func TestWrittenInputsComeFirst(t *testing.T) {
	for _, c := range []struct {
		strays *device.Strays
		wrong  string
		want   kernels.Outcome
		why    string
	}{
		{nil, "C[0,0] = 1", kernels.Wrong, "C[0,0] = 1"},
		{&device.Strays{Where: "4096", Input: "w"}, "C[0,0] = 1", kernels.Suspect, "4096: wrote to its input w"},
		{&device.Strays{Where: "4096", Input: "w"}, "", kernels.Suspect, "4096: wrote to its input w"},
		{&device.Strays{Where: "4096", Repacked: true}, "C[0,0] = 1", kernels.Wrong, "C[0,0] = 1"},
	} {
		g := gatedAlone()
		reply := device.GateReply{Cases: []device.CaseReply{{Ran: true, Hash: 7, Same: true}}, Strays: c.strays}
		if err := g.verdict(checker.JudgeReply{Hashes: []uint64{7}, Wrong: c.wrong}, reply); err != nil {
			t.Fatal(err)
		}
		if g.Res.Outcome != c.want || g.Res.Detail != c.why {
			t.Errorf("%+v: %v, %q", c, g.Res.Outcome, g.Res.Detail)
		}
	}
}

// TestGateWaitsForPreparing: beside a champion of some microseconds, a candidate that packs has time to do so.
func TestGateWaitsForPreparing(t *testing.T) {
	g := gatedAlone()
	g.Job.Bar = kernels.NewBar(map[string]float64{"4096": 20e3})
	packs := g.gateDeadline(g.cases)
	g.Calls[0].Prepare = nil
	if most := g.MostPreparing(&g.Cases.List[0]); packs < g.gateDeadline(g.cases)+2*most {
		t.Errorf("%v with launches that prepare for %v, %v without", packs, most, g.gateDeadline(g.cases))
	}
}
