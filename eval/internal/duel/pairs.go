package duel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// The longest that a request of pairs is to take, and a fresh sample of the slower side. What is slower takes fewer
// pairs at a time, and fewer sets a sample.
const (
	longRequest = 30 * time.Second
	longSample  = 400 * time.Millisecond
)

// hugeSample is how many bytes the sets of a fresh sample have at most. All of them are refilled, read and hashed
// beside the calls, and drawn for the next: a sample of six sets of 8 GiB took 0.3 s, 20 ms of it in the kernel.
const hugeSample = 8 << 30

// fewestSets is how many sets a fresh sample has at least.
const fewestSets = 2

// A side that is slow and farApart from the other has one call a sample, and the fresh half of such a duel only the
// sets that every candidate is gated on: what wins it is held against all others in its trial, without minutes of a
// naive kernel's time.
const farApart = 4

// unequal reports whether one side's calls at a workload are slow, and many times those of the other.
func unequal(a, b verdict.Contestant, workload string) bool {
	x, y := a.Estimate[workload], b.Estimate[workload]
	return min(x, y) > 0 && max(x, y) >= max(device.SlowCall, farApart*min(x, y))
}

// longCall is how many ns a call takes at least of which a sample has only one: more of them make it no better. What
// the first call of a kernel takes longer, some microseconds, is less than the margin, so that it has no warm-up.
const longCall = 2e6

// slow reports whether both sides' calls are long, at every workload of a duel: a pair lasts as long as ten of others,
// and says as much.
func (p *Duels) slow(a, b verdict.Contestant, t terms) bool {
	for _, i := range t.which {
		name := p.Cfg.Workloads[i].Name
		if min(a.Estimate[name], b.Estimate[name]) < longCall {
			return false
		}
	}
	return true
}

// freshCases are the sets of a workload's bank that the fresh half of a duel is about.
func (p *Duels) freshCases(a, b verdict.Contestant, workload string) []int {
	bank := p.Cases.Banks[workload]
	if unequal(a, b, workload) {
		return bank[:min(len(bank), fewestSets)]
	}
	return bank
}

// banks are the sets of all workloads that the fresh half of a duel is about.
func (p *Duels) banks(a, b verdict.Contestant, which []int) (cases []int) {
	for _, i := range which {
		cases = append(cases, p.freshCases(a, b, p.Cfg.Workloads[i].Name)...)
	}
	return cases
}

// freshSets is how many of a bank's sets, each of so many bytes, a fresh sample of calls of so many ns is of, where a
// slot holds the outputs of room calls. 0 room: they need none.
func freshSets(bank, bytes int, ns float64, room int) int {
	n := min(bank, hugeSample/max(bytes, 1))
	if ns > 0 {
		n = min(n, int(float64(longSample)/ns))
	}
	if room > 0 {
		n = min(n, room)
	}
	return min(bank, max(n, fewestSets))
}

// pairsAtOnce is how many of the pairs one request takes, each of which takes so many ns and needs so much of the
// room in a slot, of which there is none where room is 0.
func pairsAtOnce(pairs int, ns float64, need, room int) int {
	n := pairs
	if ns > 0 {
		n = min(n, int(float64(longRequest)/ns))
	}
	if room > 0 {
		n = min(n, room/max(need, 1))
	}
	return max(1, n)
}

// batch takes pairs at one workload, in as many requests as it takes.
func (p *Duels) batch(ctx context.Context, a, b verdict.Contestant, which int, t terms, pairs int) (
	all device.DuelReply, err error) {
	if a.Rival != nil {
		return a.Rival.Pairs(ctx, b, which, t.cache, pairs)
	}
	req, each := p.pairing(a, b, which, t)
	for len(all.A.Samples) < pairs {
		req.Pairs = min(each, pairs-len(all.A.Samples))
		got, err := p.pairs(ctx, req, [2]*verdict.Contestant{&a, &b})
		if err != nil {
			return all, err
		}
		for i := range 2 {
			to, from := all.Side(i), got.Side(i)
			if len(from.Samples) != req.Pairs {
				return all, fmt.Errorf("%w: %d of %d pairs measured", kernels.ErrLost, len(from.Samples), req.Pairs)
			}
			to.Samples, to.Clock = append(to.Samples, from.Samples...), append(to.Clock, from.Clock...)
			to.Repeat = append(to.Repeat, from.Repeat...)
		}
	}
	return all, nil
}

// pairing is a request of pairs at a workload, and how many of them it takes at once.
func (p *Duels) pairing(a, b verdict.Contestant, which int, t terms) (req device.Duel, each int) {
	w := p.Cfg.Workloads[which]
	slower := max(a.Estimate[w.Name], b.Estimate[w.Name])
	run := p.RunOf(w, t.cache, min(a.Estimate[w.Name], b.Estimate[w.Name]))
	run.Preparing = max(a.Preparing(w.Name), b.Preparing(w.Name))
	c := &p.Cases.List[run.Cases[0]]
	room, calls := 0, 1+c.Region(p.Device.L2Bytes)/max(run.Estimate, 1)
	need := c.OutBytes()
	if p.Cfg.Problem.Check.Atomics {
		room = p.SlotBytes()
	}
	if t.fresh {
		run.Cases = p.freshCases(a, b, w.Name)
		run.Fresh = freshSets(len(run.Cases), c.ArenaBytes(), slower+run.Preparing, room/max(c.OutBytes(), 1))
		run.Unseen = t.unseen
		need *= run.Fresh
		calls = 3 * float64(run.Fresh)
	}
	req = device.Duel{A: a.One(which, run), B: b.One(which, run), Run: run}
	req.Long = [2]bool{a.Estimate[w.Name] >= longCall, b.Estimate[w.Name] >= longCall}
	if unequal(a, b, w.Name) {
		req.Estimates = [2]float64{a.Estimate[w.Name], b.Estimate[w.Name]}
	}
	packing := run.Preparing * float64(run.Packings(c, p.Device.L2Bytes))
	return req, pairsAtOnce(Batch, 2*(slower*min(calls, device.MaxCalls)+packing), need, room)
}

// pairs asks the device for pairs. What a side does wrong is a *found. Outputs whose bits nobody knows are judged.
func (p *Duels) pairs(ctx context.Context, req device.Duel, sides [2]*verdict.Contestant) (
	reply device.DuelReply, err error) {
	known := len(req.A.Expect[0]) > 0 && len(req.B.Expect[0]) > 0
	if !known {
		if !p.Cfg.Problem.Check.Atomics {
			return reply, fmt.Errorf("a duel at %s: no accepted outputs to compare with", req.Run.Workload)
		}
		slots, free, err := p.Runner.TwoSlots(ctx)
		if err != nil {
			return reply, err
		}
		defer free()
		req.Record = &device.Record{Slots: slots}
	}
	name := req.Run.Workload
	limit := p.PairsDeadline(&req, max(sides[0].Estimate[name], sides[1].Estimate[name]))
	_, verdicts, err := p.Runner.JudgedAll(ctx, device.Request{Duel: &req}, &reply, limit, func() (all []*checker.Judge) {
		for i := range sides {
			if !known && reply.Fault == nil {
				all = append(all, verdict.Recorded(req.Record.Slots[i], sides[i].Acc(), reply.Side(i).Recorded)...)
			}
		}
		return all
	})
	if err != nil {
		return reply, died(err)
	}
	if err := p.judgeFault(&reply); err != nil {
		return reply, err
	}
	return reply, Guilty(&reply, verdicts, req.Run.Workload, known)
}

// Guilty says which side of a duel did what it must not; nil: none. verdicts are on the outputs of both sides,
// where their bits are not known.
func Guilty(reply *device.DuelReply, verdicts []checker.JudgeReply, workload string, known bool) error {
	for i, side := range duelSides {
		s := reply.Side(i)
		switch {
		case s.Strays != nil:
			return &verdict.Found{Side: side, Outcome: kernels.Suspect, Detail: "timed launches: " + s.Strays.Why()}
		case s.Wrong > 0:
			return &verdict.Found{Side: side, Outcome: kernels.Wrong, Detail: fmt.Sprintf(
				"%s: %d of %d outputs of timed launches differ from the gated ones",
				workload, s.Wrong, s.Checked)}
		case known:
		case len(verdicts) != len(duelSides):
			return fmt.Errorf("%w: no outputs of timed launches to judge", kernels.ErrLost)
		case verdicts[i].Wrong != "":
			return &verdict.Found{Side: side, Outcome: kernels.Wrong, Detail: "timed launches: " + verdicts[i].Wrong}
		}
	}
	return nil
}

// duelSides are the sides as a request numbers them.
var duelSides = [2]kernels.Side{kernels.TheChampion, kernels.TheChallenger}

// died makes what it is of the end of a worker in the middle of a duel: the fault of the side whose turn it was.
func died(err error) error {
	var l *runner.Lost
	if !errors.As(err, &l) {
		return err
	}
	turn := device.TurnOf(l.Phase)
	switch {
	case turn == 0:
		return fmt.Errorf("%w: %v", verdict.ErrFaulted, l)
	case l.Timeout:
		return &verdict.Found{Side: duelSides[turn-1], Outcome: kernels.TimedOut,
			Detail: fmt.Sprintf("did not finish (%s): %v", l.Phase, l.Err)}
	}
	return &verdict.Found{Side: duelSides[turn-1], Outcome: kernels.Crashed,
		Detail: fmt.Sprintf("killed the device process (%s): %v", l.Phase, l.Err)}
}

// judgeFault makes what it is of a fault in a duel.
func (p *Duels) judgeFault(reply *device.DuelReply) error {
	if reply.Fault == nil {
		return nil
	}
	outcome, detail, err := p.Runner.FaultOf(reply.Fault, nil)
	if err != nil {
		return err
	}
	if reply.Faulted == 0 {
		return fmt.Errorf("%w: %s", verdict.ErrFaulted, detail)
	}
	return &verdict.Found{Side: duelSides[reply.Faulted-1], Outcome: outcome, Detail: detail}
}
