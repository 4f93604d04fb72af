package evolve

import (
	"context"
	"slices"
	"testing"

	"darwarp/evolve/ablation"
	"darwarp/kernels"
)

// explainedRun is a finished run with its champion, and the point that a choice taken back makes of it.
type explainedRun struct {
	cfg      Config
	ev       *fake
	m        *memory
	champion kernels.ID
	choice   kernels.GeneChange
	without  kernels.ID
}

// mustExplain makes a run whose champion has a choice that nobody has tried it without. By its own timing what is left
// is a little slower; in a duel it wins.
func mustExplain(t *testing.T) *explainedRun {
	t.Helper()
	r := &explainedRun{cfg: toyConfig(t, "hills"), ev: newFake(1, true), m: &memory{}}
	r.cfg.Budget.Evals = 30
	sum := mustRun(t, r.cfg, r.ev, r.m)
	r.champion = sum.Champion
	s := mustSearch(t, r.cfg, r.ev, r.m)
	d := s.pop.first()
	for _, c := range ablation.Choices(d.declared(), sum.Variant.Genes) {
		p := d.without(s.championship.champion(), []kernels.GeneChange{c})
		if p != nil && s.pop.prepare(p) == nil && !s.pop.asked(p.job.ID) {
			r.choice, r.without = c, p.job.ID
		}
	}
	if r.without.IsZero() {
		t.Fatal("the champion has no choice to take back")
	}
	r.ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		out := works(job)
		if job.ID == r.without {
			v := 1.01 * sum.Score * toyTime(d.declared().Defaults())
			out.Times = timesOf(v, 2*v)
		}
		return out, nil
	}
	r.ev.duel = func(_ context.Context, _, challenger *kernels.Job) (kernels.Duel, error) {
		if challenger.ID == r.without {
			return duelOf(0.82), nil
		}
		return duelOf(1.1), nil
	}
	return r
}

func (r *explainedRun) insight(ratio, hi float64) kernels.Insight {
	return kernels.Insight{Candidate: r.champion, Genes: []kernels.GeneChange{r.choice}, Without: r.without,
		Outcome: kernels.OK, Gain: kernels.Gain{Ratio: ratio, Lo: 2*ratio - hi, Hi: hi}}
}

// What explain found faster than the champion beyond noise is judged by the next session, though its budget is spent,
// and challenges the champion, whatever its own timing says.
func TestExplainedChallenges(t *testing.T) {
	r := mustExplain(t)
	better := r.insight(0.82, 0.85)
	for _, tt := range []struct {
		name  string
		known func() []kernels.Insight
		wins  bool
	}{
		{"faster", func() []kernels.Insight { return []kernels.Insight{better} }, true},
		{"found twice", func() []kernels.Insight { return []kernels.Insight{r.insight(1.2, 1.3), better, better} }, true},
		{"within the noise", func() []kernels.Insight { return []kernels.Insight{r.insight(0.97, 1.01)} }, false},
		{"slower", func() []kernels.Insight { return []kernels.Insight{r.insight(1.2, 1.3)} }, false},
		{"taken back", func() []kernels.Insight { return []kernels.Insight{better, r.insight(1, 1.02)} }, false},
		{"of another", func() []kernels.Insight {
			i := better
			i.Candidate = kernels.ID{1}
			return []kernels.Insight{i}
		}, false},
		{"another kernel", func() []kernels.Insight {
			i := better
			i.Without = kernels.ID{1}
			return []kernels.Insight{i}
		}, false},
		{"it was wrong", func() []kernels.Insight {
			i := better
			i.Outcome = kernels.Wrong
			return []kernels.Insight{i}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := r.m.clone()
			m.insights = tt.known()
			sum := mustRun(t, r.cfg, r.ev, m)
			if !tt.wins {
				if sum.Champion != r.champion || sum.Evals != 30 || len(m.duels) != len(r.m.duels) {
					t.Errorf("%d duels, %+v", len(m.duels)-len(r.m.duels), sum)
				}
				return
			}
			if sum.Champion != r.without || sum.Evals != 31 || len(m.duels) != len(r.m.duels)+1 {
				t.Errorf("%d duels, %+v", len(m.duels)-len(r.m.duels), sum)
			}
			o := m.candidates[30].Origin
			if o.Operator != "explain" || !slices.Equal(o.Parents, []kernels.ID{r.champion}) || o.Note == "" {
				t.Errorf("%+v", o)
			}
			again := mustRun(t, r.cfg, r.ev, m) // once is enough
			if again.Evals != 31 || len(m.duels) != len(r.m.duels)+1 {
				t.Errorf("again: %+v", again)
			}
		})
	}
}

// A candidate of the run that explain found faster is not judged again: it fights. One that lost its duel has had it.
func TestExplainedThatIsKnown(t *testing.T) {
	r := mustExplain(t)
	r.m.insights = []kernels.Insight{r.insight(0.82, 0.85)}
	lost := 0
	r.ev.duel = func(context.Context, *kernels.Job, *kernels.Job) (kernels.Duel, error) {
		lost++
		return duelOf(1.1), nil
	}
	for range 2 {
		if sum := mustRun(t, r.cfg, r.ev, r.m); sum.Champion != r.champion || sum.Evals != 31 {
			t.Errorf("%+v", sum)
		}
	}
	if lost != 1 {
		t.Errorf("it lost %d duels", lost)
	}
}

// Where it has the machine code of another candidate that one fights.
func TestExplainedThatIsADuplicate(t *testing.T) {
	r := mustExplain(t)
	r.m.insights = []kernels.Insight{r.insight(0.82, 0.85)}
	var other kernels.Candidate
	for _, c := range r.m.candidates {
		if c.ID != r.champion {
			other = c
		}
	}
	r.ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
		return kernels.Result{Outcome: kernels.Duplicate, Code: other.Result.Code, Detail: other.ID.Short()}, nil
	}
	r.ev.duel = func(_ context.Context, _, challenger *kernels.Job) (kernels.Duel, error) {
		if challenger.ID == other.ID {
			return duelOf(0.82), nil
		}
		return duelOf(1.1), nil
	}
	if sum := mustRun(t, r.cfg, r.ev, r.m); sum.Champion != other.ID || sum.Evals != 30 {
		t.Errorf("%+v, expected %s", sum, other.ID.Short())
	}
}
