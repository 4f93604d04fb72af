package evolve

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"time"

	"darwarp/kernels"
)

// hostile is an evaluator that answers when it likes, loses answers, and finds candidates out late. What a candidate is
// depends on its ID alone, and never on when it is asked for.
type hostile struct {
	slots    int
	inOrder  bool
	can      kernels.Capabilities
	lossy    int  // of a thousand answers so many are lost
	together bool // many answers come at one moment
	deaf     bool // answers that nobody waits for come late, as if its context had not ended

	mu     sync.Mutex
	rng    *rand.Rand
	codes  map[string]bool     // machine code that was seen
	judged map[kernels.ID]bool // who got a verdict
	given  map[kernels.ID]bool // and since the last kill
	losses map[kernels.ID]int  // and those that were lost
	noise  float64             // grows
}

func newHostile(rng *rand.Rand) *hostile {
	h := &hostile{
		slots: []int{1, 2, 7, 22, 70}[rng.IntN(5)], inOrder: rng.IntN(4) == 0, lossy: []int{0, 30, 150, 400}[rng.IntN(4)],
		deaf: rng.IntN(2) == 0, together: rng.IntN(2) == 0, rng: rand.New(rand.NewPCG(rng.Uint64(), 1)),
		codes: map[string]bool{}, judged: map[kernels.ID]bool{}, given: map[kernels.ID]bool{}, losses: map[kernels.ID]int{},
	}
	h.can.Weigh = func([]kernels.Workload) {}
	h.can.Remember = func(code string, _ kernels.ID) { h.codes[code] = true }
	if rng.IntN(4) > 0 {
		h.can.Trial = h.Trial
	}
	if rng.IntN(2) == 0 {
		h.can.Pace, h.can.Control = h.Pace, h.Control
	}
	if rng.IntN(2) == 0 {
		h.can.Machine = h.Machine
	}
	return h
}

func (h *hostile) Device() kernels.Device             { return kernels.Device{Kind: "gpu", Name: "hostile"} }
func (h *hostile) Slots() int                         { return h.slots }
func (h *hostile) InOrder() bool                      { return h.inOrder }
func (h *hostile) Capabilities() kernels.Capabilities { return h.can }

func (h *hostile) Provenance() kernels.Provenance {
	h.mu.Lock()
	defer h.mu.Unlock()
	return kernels.Provenance{Protocol: "hostile", Noise: h.noise}
}

// roll draws a number below n.
func (h *hostile) roll(n int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rng.IntN(n)
}

// late answers after a while, at most so long; the error says that the answer is lost, or that nobody waits.
func (h *hostile) late(ctx context.Context, most time.Duration) error {
	d := time.Duration(h.roll(int(most)) + 1)
	if h.roll(10) == 0 {
		d *= 30
	}
	if h.together {
		d = d.Truncate(5 * time.Second)
	}
	if err := rest(ctx, d); err != nil {
		switch {
		case h.deaf:
			time.Sleep(time.Duration(h.roll(int(time.Second))))
		case h.roll(2) == 0:
			return fmt.Errorf("%w: %w", kernels.ErrLost, err)
		default:
			return err
		}
	}
	if h.roll(1000) < h.lossy {
		return fmt.Errorf("%w: worker killed", kernels.ErrLost)
	}
	return nil
}

// fate is a number below n that some names have for ever.
func fate(n int, what string, ids ...kernels.ID) int {
	sum := fnv.New64a()
	sum.Write([]byte(what))
	for _, id := range ids {
		sum.Write(id[:])
	}
	return int(binary.BigEndian.Uint64(sum.Sum(nil)) % uint64(n))
}

func (h *hostile) Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	if err := h.late(ctx, 10*time.Second); err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.losses[job.ID]++; h.rng.IntN(2) == 0 && ctx.Err() == nil {
			return kernels.Result{Outcome: kernels.Lost, Detail: "worker killed"}, nil
		}
		return kernels.Result{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.judged[job.ID], h.given[job.ID] = true, true
	return h.judge(job), nil
}

// judge files a third of all candidates as something else than right.
func (h *hostile) judge(job *kernels.Job) kernels.Result {
	bad := []kernels.Outcome{kernels.Wrong, kernels.Crashed, kernels.TimedOut, kernels.CompileFailed, kernels.Suspect}
	if n := fate(20, "verdict", job.ID); n < len(bad) && !isNaive(job) {
		return kernels.Result{Outcome: bad[n], Detail: "so it is", Cost: kernels.Cost{Time: 1}}
	}
	r := works(job)
	r.Code = fmt.Sprint("code ", fate(150, "code", job.ID))
	if isNaive(job) {
		r.Code = "naive"
	}
	if h.codes[r.Code] && !h.judged[job.ID] {
		return kernels.Result{Outcome: kernels.Duplicate, Code: r.Code}
	}
	h.codes[r.Code] = true
	v := h.time(job)
	r.Times = timesOf(v, 2*v)
	return r
}

// time is that of the landscape; some claim to be far faster.
func (h *hostile) time(job *kernels.Job) float64 {
	v := toyTime(job.Variant.Genes)
	if fate(5, "claim", job.ID) == 0 && !isNaive(job) {
		v /= float64(2 + fate(8, "far", job.ID))
	}
	return v
}

func (h *hostile) Duel(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	if err := h.late(ctx, 4*time.Minute); err != nil {
		return kernels.Duel{}, err
	}
	d := duelOf(h.time(challenger) / h.time(champion))
	switch fate(20, "duel", champion.ID, challenger.ID) {
	case 0:
		d.Verdict = kernels.Ambiguous
	case 1:
		d.Verdict = kernels.Slower
	case 2:
		d.Verdict, d.Outcome, d.Culprit = kernels.Slower, kernels.Wrong, kernels.TheChallenger
	case 3:
		d.Verdict, d.Outcome, d.Culprit = kernels.Slower, kernels.Flaky, kernels.TheChampion
	case 4:
		d.Verdict, d.Outcome = kernels.Slower, kernels.Crashed
	}
	return d, nil
}

func (h *hostile) Trial(ctx context.Context, job *kernels.Job, parts ...kernels.TrialPart) (kernels.Trial, error) {
	if err := h.late(ctx, 2*time.Minute); err != nil {
		return kernels.Trial{}, err
	}
	t := kernels.Trial{ID: job.ID, Provenance: "p"}
	for _, p := range parts {
		d := kernels.Doubt{Part: p, Verdict: kernels.Passed}
		switch fate(20, string(p), job.ID) {
		case 0, 1, 2:
			d.Verdict, d.Outcome, d.Detail = kernels.Failed, kernels.Wrong, "found out"
		case 3:
			d.Verdict, d.Detail = kernels.Impossible, "not here"
		}
		if h.roll(1000) >= h.lossy { // else there is no verdict on it
			t.Enter(d)
		}
	}
	return t, nil
}

func (h *hostile) Pace(ctx context.Context, start, champion *kernels.Job) (kernels.Duel, error) {
	if err := h.late(ctx, time.Minute); err != nil {
		return kernels.Duel{}, err
	}
	return duelOf(h.time(champion) / h.time(start)), nil
}

func (h *hostile) Control(ctx context.Context, _ *kernels.Job) error {
	err := h.late(ctx, time.Minute)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.noise += 0.001
	return err
}

func (h *hostile) Machine(ctx context.Context) kernels.Machine {
	_ = rest(ctx, time.Duration(h.roll(int(time.Minute))))
	m := kernels.Machine{}
	if h.roll(8) == 0 {
		m.Idle = "nobody is there"
	}
	return m
}
