package evolve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/kernels"
)

// breakdown is an evaluator whose infrastructure fails from one call on, until it was asked some more times.
type breakdown struct {
	mu             sync.Mutex
	calls          int
	from, until    int
	outcome        kernels.Outcome     // of the champion meanwhile; Unknown: it is lost like all
	good           map[kernels.ID]bool // had a verdict before
	askedMeanwhile int
}

func (b *breakdown) answer(_ context.Context, job *kernels.Job) (kernels.Result, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	if b.calls <= b.from || b.until > 0 && b.calls > b.until {
		if b.good == nil {
			b.good = map[kernels.ID]bool{}
		}
		b.good[job.ID] = true
		return works(job), nil
	}
	b.askedMeanwhile++
	if b.outcome == kernels.OK && b.good[job.ID] {
		return works(job), nil
	}
	if b.outcome != kernels.Unknown && b.good[job.ID] {
		return kernels.Result{Outcome: b.outcome, Detail: "not what it was"}, nil
	}
	return kernels.Result{Outcome: kernels.Lost, Detail: "worker killed\nat once"}, nil
}

// duel is lost as long as verdicts are.
func (b *breakdown) duel(_ context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls > b.from && (b.until == 0 || b.calls <= b.until) {
		return kernels.Duel{}, fmt.Errorf("%w: worker killed\nat once", kernels.ErrLost)
	}
	ratio := toyTime(challenger.Variant.Genes) / toyTime(champion.Variant.Genes)
	return duelOf(ratio), nil
}

// What fails for good ends the search after a bounded number of attempts, with nobody given up for it.
func TestOutageEndsTheSearch(t *testing.T) {
	for _, slots := range []int{1, 4} {
		ev, m, b := newFake(slots, false), &memory{}, &breakdown{from: 30}
		ev.answer, ev.duel = b.answer, b.duel
		var c collector
		s := mustSearch(t, toyConfig(t, "hills"), ev, m)
		sum, err := s.Run(context.Background(), c.emit)
		var outage *Outage
		if !errors.As(err, &outage) || sum.Reason != ReasonFailed || !strings.HasSuffix(outage.Why, "at once") {
			t.Fatalf("%d slots: %v, %+v", slots, err, sum)
		}
		if strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "worker killed") ||
			!strings.Contains(err.Error(), "--resume") {
			t.Errorf("not one line that says what failed and what to do: %q", err)
		}
		if most := tripAfter + slots + 1 + len(s.outage.pauses); b.askedMeanwhile > most {
			t.Errorf("%d slots: asked %d times while nothing worked: at most %d", slots, b.askedMeanwhile, most)
		}
		if n := len(c.of(KindOutage)); n != 1 || sum.Skipped != 0 || len(m.candidates) != 30 {
			t.Errorf("%d slots: told %d times, %d given up, %d stored", slots, n, sum.Skipped, len(m.candidates))
		}
		ev.answer, ev.duel = nil, nil
		if sum := mustRun(t, toyConfig(t, "hills"), ev, m); sum.Evals != 100 || sum.Skipped != 0 {
			t.Errorf("%d slots: resumed: %+v", slots, sum)
		}
	}
}

func TestOutagePasses(t *testing.T) {
	ev, m, b := newFake(4, false), &memory{}, &breakdown{from: 30, until: 60}
	ev.answer, ev.duel = b.answer, b.duel
	var c collector
	s := mustSearch(t, toyConfig(t, "hills"), ev, m)
	s.outage.pauses = slices.Repeat(s.outage.pauses, 30)
	sum, err := s.Run(context.Background(), c.emit)
	if told := c.of(KindOutage); err != nil || len(told) != 2 || !strings.HasSuffix(told[1].Note, "going on") {
		t.Fatalf("%v, told %+v", err, told)
	}
	if sum.Evals != 100 || sum.Skipped != 0 {
		t.Errorf("%+v: somebody was given up for an outage", sum)
	}
}

// A champion that is no longer right says more of the device than of itself.
func TestSickDeviceIsAnOutage(t *testing.T) {
	for _, tt := range []struct {
		champion kernels.Outcome
		want     string // in the error; empty: the candidates are to blame, and the search goes on without them
	}{
		{kernels.Wrong, "which was right before, is wrong: not what it was"},
		{kernels.Crashed, "which was right before, is crash"},
		{kernels.OK, ""},
	} {
		ev, m, b := newFake(3, false), &memory{}, &breakdown{from: 20, outcome: tt.champion}
		ev.answer, ev.duel = b.answer, b.duel
		if tt.want == "" {
			b.until = 60
		}
		var c collector
		sum, err := mustSearch(t, toyConfig(t, "hills"), ev, m).Run(context.Background(), c.emit)
		if tt.want == "" {
			if err != nil || len(c.of(KindOutage)) != 0 || sum.Skipped == 0 || sum.Evals != 100 {
				t.Errorf("%v, %+v, told %+v", err, sum, c.of(KindOutage))
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: expected ... %s ...", err, tt.want)
		}
	}
}

func TestOutageDoesNotOutlastTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ev, m, b := newFake(2, false), &memory{}, &breakdown{from: 10}
		ev.answer, ev.duel = b.answer, b.duel
		cfg := toyConfig(t, "hills")
		cfg.Budget = Budget{For: 100 * time.Millisecond}
		s := mustSearch(t, cfg, ev, m)
		s.outage.pauses = []time.Duration{time.Hour}
		if sum, err := s.Run(context.Background(), nil); err != nil || sum.Reason != ReasonTime || len(m.candidates) != 10 {
			t.Errorf("%v, %+v, %d stored", err, sum, len(m.candidates))
		}
		ev.answer, ev.duel, cfg.Budget = nil, nil, Budget{Evals: 60}
		if sum := runNow(t, cfg, ev, m); sum.Evals != 60 {
			t.Errorf("resumed: %+v", sum)
		}
	})
}

// A duel that our side lost is fought again: its challenger has not lost.
func TestLostDuelIsFoughtAgain(t *testing.T) {
	ev, m := newFake(2, true), &memory{} // in order, no duel is overtaken
	tries := 0
	ev.duel = func(_ context.Context, a, b *kernels.Job) (kernels.Duel, error) {
		if tries++; tries%3 != 0 { // one duel at a time: no lock
			return kernels.Duel{}, fmt.Errorf("%w: worker killed", kernels.ErrLost)
		}
		ratio := toyTime(b.Variant.Genes) / toyTime(a.Variant.Genes)
		return kernels.Duel{Ratio: ratio, Lo: ratio, Hi: ratio, Verdict: kernels.Faster}, nil
	}
	var c collector
	sum, err := mustSearch(t, toyConfig(t, "hills"), ev, m).Run(context.Background(), c.emit)
	if err != nil || sum.Duels == 0 || len(m.duels) != sum.Duels || sum.Lost != 2*sum.Duels {
		t.Errorf("%v, %+v, %d stored", err, sum, len(m.duels))
	}
	if sum.Champion == m.candidates[0].ID {
		t.Error("a lost duel cost its challenger the championship")
	}
}
