package evolve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/kernels"
	"darwarp/store"
)

// FuzzAttackedRun runs searches against a hostile evaluator, a disk that is full now and then, and somebody who steers
// at random, through several sessions, of which some are killed. Whatever happens, a search ends, and what it has
// stored is true.
func FuzzAttackedRun(f *testing.F) {
	for seed := range uint64(30) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		synctest.Test(t, func(t *testing.T) {
			newAttackedRun(t, seed).run()
		})
	})
}

// attackedRun is one run under attack.
type attackedRun struct {
	*testing.T
	rng    *rand.Rand
	cfg    Config
	ev     *hostile
	m      *memory
	killed *memory // what a kill has left
	ops    int     // on the store until the kill
	events []Event // of this session
	calm   bool    // nobody attacks

	mu    sync.Mutex
	known []kernels.ID // candidates that may be steered
}

func newAttackedRun(t *testing.T, seed uint64) *attackedRun {
	rng := rand.New(rand.NewPCG(seed, 7))
	cfg := toyConfig(t, [][]string{{"hills"}, {"hills", "plain"}}[rng.IntN(2)]...)
	cfg.Seed, cfg.Strategy = seed, []string{"default", "evolve", "random"}[rng.IntN(3)]
	cfg.Budget = Budget{Evals: 20 + rng.IntN(100)}
	switch rng.IntN(4) {
	case 0:
		cfg.Budget.For = time.Duration(1+rng.IntN(60)) * time.Minute
	case 1:
		cfg.Budget.Stall = 15 + rng.IntN(30)
	case 2:
		cfg.Portfolio = 2
	}
	return &attackedRun{T: t, rng: rng, cfg: cfg, ev: newHostile(rng), m: &memory{}}
}

func (g *attackedRun) run() {
	for session := range 5 {
		if g.calm = session >= 3; g.calm {
			g.ev.lossy = 0
		}
		if session == 4 { // as long as it takes
			g.cfg.Budget.For = 0
		}
		g.session()
		if g.Failed() {
			g.Fatalf("session %d, %d slots, in order %v, lossy %d, deaf %v, budget %+v", session, g.ev.slots, g.ev.inOrder,
				g.ev.lossy, g.ev.deaf, g.cfg.Budget)
		}
		if g.killed != nil {
			g.m = g.killed
		}
	}
}

// mostEvents is more than a search under attack tells.
const mostEvents = 100_000

// forever is longer than any search under attack lasts.
const forever = 1000 * time.Hour

// session runs a search until it ends, or is ended.
func (g *attackedRun) session() {
	g.events, g.killed, g.ops = nil, nil, 0
	s := mustSearch(g.T, g.cfg, g.ev, g.m)
	s.championship.after = time.Duration(g.rng.IntN(int(time.Minute)))
	ctx, cancel := context.WithCancel(g.Context())
	defer cancel()
	hangs := time.AfterFunc(forever, func() {
		g.Errorf("does not end: %d running, %d pending, %+v", s.queue.running(), len(s.queue.pending), s.ending)
		s.Abort()
	})
	defer hangs.Stop()
	g.m.full = nil
	over := make(chan struct{})
	if !g.calm {
		g.fill(s)
		go func() { defer close(over); g.attack(s, cancel) }()
	} else {
		close(over)
	}
	sum, err := s.Run(ctx, g.heard)
	<-over
	g.holdEnd(s, sum, err)
	if g.holdEvents(); err == nil {
		g.holdCounts(&sum)
		g.holdChampion(s, &sum)
	}
	if g.killed != nil || err != nil || sum.Reason == ReasonAborted {
		clear(g.ev.given) // of what was asked for since the last checkpoint nothing is known
	}
}

func (g *attackedRun) heard(e Event) {
	if g.events = append(g.events, e); len(g.events) == mostEvents {
		panic(fmt.Sprintf("%d events: does not end: %+v", mostEvents, g.events[mostEvents-10:]))
	}
	if !e.ID.IsZero() || e.Candidate != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		id := e.ID
		if e.Candidate != nil {
			id = e.Candidate.ID
		}
		g.known = append(g.known, id)
	}
}

// fill makes the disk full now and then, and kills the run at some operation.
func (g *attackedRun) fill(s *Search) {
	rng := rand.New(rand.NewPCG(g.rng.Uint64(), 2))
	kill, share := -1, []int{0, 5, 30}[rng.IntN(3)]
	if rng.IntN(3) == 0 {
		kill = rng.IntN(150)
	}
	g.m.full = func(string) error {
		if g.ops++; g.ops == kill {
			g.killed = g.m.clone()
			s.Abort()
		}
		if rng.IntN(1000) < share {
			return fmt.Errorf("write: %w", store.ErrNoSpace)
		}
		return nil
	}
}

// attack steers at random, and sees to it that the search can end.
func (g *attackedRun) attack(s *Search, cancel func()) {
	rng := rand.New(rand.NewPCG(g.rng.Uint64(), 3))
	for range rng.IntN(12) {
		time.Sleep(time.Duration(rng.IntN(int(2 * time.Minute))))
		g.steer(s, g.command(rng))
	}
	g.steer(s, Command{Do: "resume"})
	time.Sleep(time.Duration(rng.IntN(int(5 * time.Minute))))
	switch rng.IntN(6) {
	case 0:
		cancel()
	case 1:
		s.Abort()
	case 2:
		g.steer(s, Command{Do: "stop"})
		if rng.IntN(2) == 0 {
			time.Sleep(time.Duration(rng.IntN(int(time.Minute))))
			g.steer(s, Command{Do: "stop"})
		}
		if rng.IntN(2) == 0 {
			cancel()
		}
	}
}

// steer waits for the answer for some time, as people do.
func (g *attackedRun) steer(s *Search, c Command) {
	ctx, cancel := context.WithTimeout(g.Context(), time.Minute)
	defer cancel()
	_ = s.Steer(ctx, c)
}

func (g *attackedRun) command(rng *rand.Rand) (c Command) {
	g.mu.Lock()
	defer g.mu.Unlock()
	c.Do = []string{"pause", "resume", "pin", "unpin", "kill", "add", "weigh", "inject", "inject"}[rng.IntN(9)]
	if n := len(g.known); n > 0 {
		c.ID = g.known[rng.IntN(n)]
	}
	switch c.Do {
	case "add":
		c.Evals = rng.IntN(20)
	case "weigh":
		c.Weights = map[string]float64{"small": 1 + float64(rng.IntN(4)), "large": 1}
	case "inject":
		v := genes(1+rng.IntN(8), 1+rng.IntN(8), string("xyz"[rng.IntN(3)]))
		v["e"] = kernels.Bool(rng.IntN(2) == 0)
		c.Variant = &kernels.Variant{Family: "hills", Genes: v}
	}
	return c
}

// holdEnd holds how a session ended against what may end one.
func (g *attackedRun) holdEnd(s *Search, sum Summary, err error) {
	var outage *Outage
	switch lost := errors.As(err, &outage) || err != nil && !s.pop.started(); {
	case err == nil || lost || errors.Is(err, store.ErrNoSpace):
	default:
		g.Errorf("ended with %v: %+v", err, sum)
	}
	if n := s.queue.running(); n != 0 {
		g.Errorf("%d questions have no answer", n)
	}
	ended := sum.Reason.Spent() || sum.Reason == ReasonExhausted
	if g.calm && g.cfg.Budget.For == 0 && (err != nil || sum.Left > 0 || !ended) {
		g.Errorf("nobody attacks, and it ended with %v, %+v", err, sum)
	}
}

// holdEvents holds events against their order.
func (g *attackedRun) holdEvents() {
	told := map[kernels.ID]bool{}
	for i, e := range g.events {
		if e.Seq != i+1 || (e.Kind == KindEnd) != (i == len(g.events)-1) {
			g.Errorf("event %d of %d is %d, %s", i+1, len(g.events), e.Seq, e.Kind)
		}
		if c := e.Candidate; e.Kind == KindResult && c != nil {
			if told[c.ID] {
				g.Errorf("%s is told twice", c.ID.Short())
			}
			told[c.ID] = true
		}
		if e.InFlight < 0 || e.Evals < 0 {
			g.Errorf("%d in flight, %d verdicts", e.InFlight, e.Evals)
		}
	}
}

// holdCounts holds what is counted against what is stored.
func (g *attackedRun) holdCounts(sum *Summary) {
	stored, outcomes := map[kernels.ID]bool{}, map[kernels.Outcome]int{}
	evals := 0
	for _, c := range g.m.candidates {
		stored[c.ID] = true
		if outcomes[c.Result.Outcome]++; c.Result.Outcome != kernels.Duplicate {
			evals++
		}
	}
	if evals != sum.Evals || !maps.Equal(outcomes, sum.Outcomes) {
		g.Errorf("%d verdicts %v are stored, %d %v counted", evals, outcomes, sum.Evals, sum.Outcomes)
	}
	if !g.calm || g.cfg.Budget.For > 0 {
		return
	}
	for id := range g.ev.given {
		if !stored[id] && g.ev.losses[id] == 0 {
			g.Errorf("%s has a verdict and is not stored", id.Short())
		}
	}
}

// holdChampion: the champion works, has not fallen, and has lost to nobody who could take its place.
func (g *attackedRun) holdChampion(s *Search, sum *Summary) {
	if sum.Champion.IsZero() {
		return
	}
	of := map[string]*kernels.Candidate{}
	for i, c := range g.m.candidates {
		of[c.ID.Short()] = &g.m.candidates[i]
	}
	if id, _ := g.m.Champion(); id != sum.Champion {
		g.Errorf("%s is stored as the champion, %s is told", id.Short(), sum.Champion.Short())
	}
	if c := of[sum.Champion.Short()]; c == nil || c.Result.Outcome != kernels.OK ||
		g.m.trial(c.ID).Standing() == kernels.Fell {
		g.Errorf("the champion %s does not work: %+v", sum.Champion.Short(), c)
	}
	if !g.calm || g.cfg.Budget.For > 0 {
		return
	}
	if m := s.championship.challenger(s.pop); m != nil {
		g.Errorf("%s was not fought", m.id.Short())
	}
	for _, d := range g.m.duels[min(len(g.m.duels), s.steering.void()):] {
		x := of[d.Challenger]
		if d.Verdict != kernels.Faster || d.Champion != sum.Champion.Short() || x == nil || s.pop.isDead(x.ID) ||
			x.Result.Outcome != kernels.OK || s.championship.isBeaten(x.ID) {
			continue
		}
		g.Errorf("the champion lost to %s, %.3f, which works", d.Challenger, d.Ratio)
	}
}
