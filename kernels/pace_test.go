package kernels

import (
	"math"
	"testing"
)

// round is a duel round with that ratio.
func paceRound(workload string, ratio float64) DuelRound {
	return DuelRound{Workload: workload, Cache: "hot", Pairs: 20, Ratio: ratio}
}

func TestPace(t *testing.T) {
	start, first, second := ID{1}, ID{2}, ID{3}
	workloads := []Workload{{Name: "a", Weight: 1}, {Name: "b", Weight: 3}}
	times := func(a, b float64) []Timing { return []Timing{{Workload: "a", Median: a}, {Workload: "b", Median: b}} }
	naive := Paced{start, 1, times(1000, 4000)}
	// the naive start was timed on a busy machine: the champion seems to be ten times as fast
	champion := Paced{second, 0.1, times(100, 400)}
	won := func(a, b ID, ratio float64) Duel {
		return Duel{Champion: a.Short(), Challenger: b.Short(), Ratio: ratio, Verdict: Faster,
			Rounds: []DuelRound{paceRound("a", ratio), paceRound("b", ratio), {Workload: "a", Cache: FreshRound, Ratio: 9}}}
	}
	again := Duel{Champion: NaiveStart, ChampionKind: StartName, Challenger: second.Short(), Ratio: 0.3,
		Verdict: Ambiguous, Rounds: []DuelRound{paceRound("a", 0.3), paceRound("b", 0.3)}}
	final := Duel{Champion: NaiveStart, ChampionKind: BaselineName, Challenger: second.Short(), Ratio: 0.25,
		Rounds: []DuelRound{paceRound("a", 0.25), paceRound("b", 0.25)}}
	other, lost, caught := final, won(start, second, 0.01), won(start, second, 0.02)
	other.Challenger = first.Short()
	lost.Verdict, caught.Outcome = Slower, Suspect
	steps := []Duel{won(start, first, 0.5), won(first, second, 0.8)}
	one := final
	one.Rounds = one.Rounds[:1]
	uneven, given, noisy := final, again, final
	uneven.Rounds = []DuelRound{paceRound("a", 0.5), paceRound("b", 0.25)}
	// up: the machine was too noisy for one pair
	given.Rounds, noisy.Rounds = []DuelRound{paceRound("a", 0)}, []DuelRound{paceRound("b", 0)}
	for _, x := range []struct {
		name      string
		duels     []Duel
		objective Objective
		speedup   float64
		estimate  bool
	}{
		{"nothing but two timings", nil, "", 10, true},
		{"the way from the naive start", steps, "", 2.5, true},
		{"a gap in the way", steps[1:], "", 10, true},
		{"a duel that was lost, and one whose winner was caught", append([]Duel{lost, caught}, steps...), "", 2.5, true},
		{"timed again beside the naive start", append(steps, again), "", 1 / 0.3, true},
		{"a step after another's final measurement", []Duel{steps[0], other, steps[1]}, "", 5, true},
		{"the final measurement", append(steps, final, again), "", 4, false},
		{"a final measurement, and a second one that has no pairs", append(steps, final, noisy), "", 4, false},
		{"without a pair", append(steps, given, noisy), "", 2.5, true},
		{"the final measurement of one of the workloads", append(steps, one), "", 10, true},
		{"one of the workloads decides", append(steps, one), "a", 4, false},
		{"weights", []Duel{uneven}, "", 1 / math.Pow(0.5*0.25*0.25*0.25, 0.25), false},
		{"the worst shape", []Duel{uneven}, Worst, 2, false},
		{"two that beat each other", []Duel{won(second, first, 0.5), won(first, second, 0.8)}, "", 10, true},
	} {
		p := NewPace(x.duels, naive, champion, x.objective, workloads)
		if got := p.Speedup(champion.Score); math.Abs(got-x.speedup) > 1e-9 || p.Estimate != x.estimate {
			t.Errorf("%s: %g, estimate %t; want %g, %t", x.name, got, p.Estimate, x.speedup, x.estimate)
		}
		if p.Guesses(second, champion.Score) != x.estimate || !p.Guesses(first, 0.2) || p.Guesses(start, 1) {
			t.Errorf("%s: what is an estimate: champion %t, another %t, the naive start %t", x.name,
				p.Guesses(second, champion.Score), p.Guesses(first, 0.2), p.Guesses(start, 1))
		}
		if s := p.Speedup(1); s != 1 {
			t.Errorf("%s: the naive start is %g times as fast as itself", x.name, s)
		}
		if got, want := p.Speedup(0.2)/p.Speedup(0.4), 2.0; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: twice as fast became %g times", x.name, got)
		}
	}
	p := NewPace([]Duel{uneven}, naive, champion, "", workloads)
	if p.Start["a"] != 200 || p.Start["b"] != 1600 {
		t.Errorf("the naive start took %v beside the champion, want a 200 and b 1600", p.Start)
	}
	if p := (Pace{}); p.Speedup(0.5) != 2 || p.Guesses(second, 0.5) || p.Speedup(0) != 0 || p.Score(0) != 0 {
		t.Error("no pace does not leave scores as they are")
	}
	if p := NewPace(steps, naive, naive, "", workloads); p.Estimate || p.Speedup(1) != 1 {
		t.Errorf("the naive start as champion: %+v", p)
	}
}
