package tui

import (
	"context"
	"errors"
	"time"

	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// Replay tells the story of a finished run again, as its search told it, in a given time.
type Replay struct {
	File
	events chan evolve.Event
	err    error
}

// NewReplay begins to tell at once; what is told is spread evenly over so long, by evaluations.
func NewReplay(ctx context.Context, f File, long time.Duration) *Replay {
	r := &Replay{File: f, events: make(chan evolve.Event)}
	go func() {
		defer close(r.events)
		r.err = r.tell(ctx, long)
	}()
	return r
}

// Load gives the beginning: nothing was judged yet.
func (r *Replay) Load() (*State, error) {
	s, err := r.File.Load()
	if err != nil {
		return nil, err
	}
	s.Champions, s.Exchanges, s.Len, s.Replayed, s.Steering = nil, nil, 0, true, evolve.Steering{}
	s.Each = func(func(kernels.Candidate) error) error { return nil }
	return s, nil
}

// Events tells the story.
func (r *Replay) Events() <-chan evolve.Event { return r.events }

// Err is why the story ended early. It is valid when Events is closed.
func (r *Replay) Err() error { return r.err }

// teller keeps where the story stands.
type teller struct {
	ctx       context.Context
	out       chan<- evolve.Event
	e         evolve.Event // what every event has
	verdict   map[kernels.Outcome]int
	scores    map[kernels.ID]float64 // of whoever is champion at some time; 0: not judged yet
	asked     []kernels.Exchange     // that were not told yet, without their texts
	champions []store.Champion       // neither
	pace      kernels.Pace
}

func (t *teller) send(e evolve.Event) error {
	t.e.Seq++
	e.Seq, e.At, e.Evals, e.Best, e.Champion, e.Reign, e.Rate, e.ETA = t.e.Seq, t.e.At, t.e.Evals, t.e.Best, t.e.Champion,
		t.e.Reign, t.e.Rate, t.e.ETA
	e.Speedup, e.Estimate = t.pace.Speedup(e.Reign), t.pace.Guesses(e.Champion, e.Reign)
	select {
	case t.out <- e:
		return nil
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
}

func (r *Replay) tell(ctx context.Context, long time.Duration) error {
	m := r.Run.Meta()
	pace, errPace := r.Run.Pace()
	checkpoint, errRead := r.Run.Checkpoint()
	steering, err := evolve.ReadSteering(checkpoint)
	if err := errors.Join(errPace, errRead, err); err != nil {
		return err
	}
	t := &teller{ctx: ctx, out: r.events, verdict: map[kernels.Outcome]int{}, scores: map[kernels.ID]float64{},
		pace: pace}
	clock := sessions{simulated: m.Device.Kind == "replay", began: func(proof string) (time.Time, bool) {
		p, err := r.Run.Provenance(proof)
		return p.Started, err == nil
	}}
	start := &evolve.StartInfo{Strategy: m.Strategy, Seed: m.Seed, Device: m.Device, Workloads: m.Workloads,
		Budget: steering.InForce(evolve.Budget(m.Budget))}
	if err := t.send(evolve.Event{Kind: evolve.KindStart, Start: start}); err != nil {
		return err
	}
	if err := t.read(r.Run); err != nil {
		return err
	}
	began, n := time.Now(), max(1, r.Run.Len())
	err = r.Run.Each(func(c kernels.Candidate) error {
		if err := t.before(c.At); err != nil {
			return err
		}
		wait(ctx, time.Until(began.Add(time.Duration(float64(long)*float64(c.Seq)/float64(n)))))
		t.judged(&c, clock.add(&c), n)
		return t.send(evolve.Event{Kind: evolve.KindResult, Candidate: &c, ID: c.ID, Family: c.Variant.Family,
			Score: c.Score})
	})
	if err = errors.Join(err, t.before(time.Time{})); err != nil {
		return err
	}
	sum := evolve.Summary{Reason: "replayed", Evals: t.e.Evals, Outcomes: t.verdict,
		Winner: evolve.Winner{Champion: t.e.Champion, Score: t.e.Reign}, Best: t.e.Best, Elapsed: t.e.At}
	sum.Speedup, sum.Estimate = t.pace.Speedup(sum.Score), t.pace.Guesses(sum.Champion, sum.Score)
	return t.send(evolve.Event{Kind: evolve.KindEnd, Note: string(sum.Reason), Summary: &sum})
}

// read gathers what is told beside the verdicts.
func (t *teller) read(run *store.Run) (err error) {
	if t.champions, err = run.Champions(); err != nil {
		return err
	}
	for _, c := range t.champions {
		t.scores[c.ID] = 0
	}
	return run.EachExchange(func(e kernels.Exchange) error {
		e.Asked, e.Reply = nil, ""
		t.asked = append(t.asked, e)
		return nil
	})
}

// before tells what happened before a verdict and was not told yet; the zero time stands for the end.
func (t *teller) before(until time.Time) error {
	for ; len(t.asked) > 0 && (until.IsZero() || t.asked[0].At.Before(until)); t.asked = t.asked[1:] {
		short := t.asked[0]
		if err := t.send(evolve.Event{Kind: evolve.KindAdvice, Exchange: &short}); err != nil {
			return err
		}
	}
	for ; len(t.champions) > 0 && (until.IsZero() || t.champions[0].At.Before(until)); t.champions = t.champions[1:] {
		reign := t.champions[0]
		if t.scores[reign.ID] == 0 { // it fell on trial since
			continue
		}
		t.e.Champion, t.e.Reign = reign.ID, t.scores[reign.ID]
		err := t.send(evolve.Event{Kind: evolve.KindChampion, ID: reign.ID, Score: t.e.Reign, Note: reign.Why})
		if err != nil {
			return err
		}
	}
	return nil
}

// judged brings what every event tells up to date.
func (t *teller) judged(c *kernels.Candidate, at time.Duration, n int) {
	e := &t.e
	e.At = at
	t.verdict[c.Result.Outcome]++
	if c.Result.Outcome != kernels.Duplicate {
		e.Evals++
	}
	if c.Result.Outcome == kernels.OK {
		if _, reigned := t.scores[c.ID]; reigned {
			t.scores[c.ID] = c.Score
		}
		if e.Best == 0 || c.Score < e.Best {
			e.Best = c.Score
		}
	}
	if s := at.Seconds(); s > 0 {
		e.Rate = float64(e.Evals) / s
		e.ETA = time.Duration(s * float64(n-c.Seq) / float64(c.Seq) * float64(time.Second))
	}
}

// wait sleeps unless ctx ends. Short waits are left for the next one.
func wait(ctx context.Context, d time.Duration) {
	if d < 5*time.Millisecond {
		return
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
