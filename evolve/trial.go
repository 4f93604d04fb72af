package evolve

import (
	"context"
	"fmt"
	"strings"
	"time"

	"darwarp/kernels"
)

// Doubter is what an Evaluator may also be: one that can hold a would-be champion against more than every candidate is.
// Parts that it cannot try it calls impossible, with the reason. Like Evaluate it fails only when darwarp itself is
// broken, and with a kernels.ErrLost where it may be asked again.
type Doubter interface {
	Trial(ctx context.Context, job *kernels.Job, parts ...kernels.TrialPart) (kernels.Trial, error)
}

// settles is how long a champion reigns before what takes long is begun beside the search: the first champions of a search
// follow each other within seconds.
const settles = 20 * time.Second

// trials is what the search knows of would-be champions. The winner of a duel is an heir until it has stood the quick
// parts, so that most of what is wrong never reigns; the slow parts follow while it does, of one champion at a time; and
// all that is missing of the last one at the end.
type trials struct {
	known  map[kernels.ID]kernels.Trial
	reigns []*member          // who reigned before the champion, in order: where it falls, the last of them reigns again
	heir   *member            // nil: none
	why    string             // the heir is crowned
	since  time.Duration      // the champion reigns, by the search's clock
	after  time.Duration      // it has reigned so long the slow parts begin
	quick  *flight            // an heir's trial that is going on
	slow   *flight            // a champion's
	lost   map[kernels.ID]int // attempts
	ending bool               // it was said that the search's end waits

	ctx  context.Context // of what is being tried
	skip context.CancelFunc
}

func newTrials(hard context.Context) trials {
	ctx, skip := context.WithCancel(hard)
	return trials{ctx: ctx, skip: skip, known: map[kernels.ID]kernels.Trial{}, lost: map[kernels.ID]int{}, after: settles}
}

// succeed makes the winner of a duel the champion, or first an heir where it can be doubted.
func (s *Search) succeed(m *member, why string) {
	if _, ok := s.ev.(Doubter); ok && len(s.trials.known[m.id].Missing(kernels.QuickTrial)) > 0 {
		s.trials.heir, s.trials.why = m, why
		return
	}
	s.enthrone(m, why)
}

// enthrone makes a member the champion.
func (s *Search) enthrone(m *member, why string) {
	if s.champion != nil {
		s.trials.reigns = append(s.trials.reigns, s.champion)
	}
	s.champion, s.trials.since = m, s.clock.elapsed()
	clear(s.beaten)
	s.crown(m, why)
}

// doubt begins the trial that is due.
func (s *Search) doubt() {
	t := &s.trials
	if _, ok := s.ev.(Doubter); !ok || s.paused || s.outage.on() || s.err != nil || t.ctx.Err() != nil || s.champion == nil {
		return
	}
	if t.ending && !s.stopping && s.reason == "" { // the budget was added to meanwhile
		t.ending = false
		s.clock.goOn()
	}
	switch {
	case t.heir != nil && t.quick == nil:
		t.quick = s.launchTrial(t.heir, t.known[t.heir.id].Missing(kernels.QuickTrial))
	case t.heir == nil && t.slow == nil:
		if parts := s.due(); len(parts) > 0 {
			t.slow = s.launchTrial(s.champion, parts[:1])
		}
	}
}

// due are the parts of the champion's trial that may begin now. The naive start has none: it is what all others are held
// against, and there is nobody to reign in its place.
func (s *Search) due() []kernels.TrialPart {
	t := &s.trials
	if s.champion == s.naive || t.lost[s.champion.id] >= attempts {
		return nil
	}
	known := t.known[s.champion.id]
	switch {
	case s.stopping && s.reason != ReasonStopped: // only what is in flight is finished
		return nil
	case s.stopping || s.reason != "":
		missing := known.Missing(kernels.WholeTrial)
		if len(missing) == 0 || s.queue.out > 0 || len(s.queue.arrived) > 0 {
			return nil
		}
		s.sayWaiting(missing)
		return missing
	case s.clock.elapsed()-t.since < t.after:
		return nil
	}
	if quick := known.Missing(kernels.QuickTrial); len(quick) > 0 { // it reigned before there were trials
		return quick
	}
	return known.Missing(kernels.SlowTrial)
}

// sayWaiting says once what the end of the search waits for.
func (s *Search) sayWaiting(missing []kernels.TrialPart) {
	if s.trials.ending {
		return
	}
	s.trials.ending = true
	s.clock.stop() // what follows is no part of the search's time
	s.send(Event{Kind: KindDrain, Note: fmt.Sprintf("%s: the trial of %s is finished first (%s)", s.reason, s.champion.id.Short(), partNames(missing))})
}

func partNames(parts []kernels.TrialPart) string {
	var names []string
	for _, p := range parts {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// launchTrial begins parts of a member's trial.
func (s *Search) launchTrial(m *member, parts []kernels.TrialPart) *flight {
	f := m.flight()
	f.aside, f.doubts, f.parts = doubting, m, parts
	var err error
	if f.job, err = s.job(f); err != nil {
		s.fail(err)
		return nil
	}
	s.setBar(f.job)
	f.job.Base = s.base
	s.queue.start(f, s.evaluate)
	return f
}

// doubted takes what came of parts of a trial.
func (s *Search) doubted(a answer) {
	m, t := a.flight.doubts, &s.trials
	if a.flight == t.quick {
		t.quick = nil
	} else {
		t.slow = nil
	}
	if a.err != nil && t.ctx.Err() != nil { // nobody waits for it any more
		return
	}
	known := t.known[m.id]
	known.ID = m.id
	if a.err == nil {
		known.Enter(sound(a.trial)...)
		known.At, known.Proof = a.trial.At, a.trial.Proof
		if known.Fault() == nil && len(known.Missing(a.flight.parts)) > 0 {
			a.err = fmt.Errorf("%w: the evaluator gave no verdict", kernels.ErrLost)
		}
	}
	if a.err != nil {
		s.loseTrial(m, a.flight.parts, a.err)
		return
	}
	t.known[m.id] = known
	if known.Fault() != nil {
		s.fall(m, known)
		return
	}
	s.save(func() error {
		if err := s.keep.PutTrial(known); err != nil {
			return err
		}
		s.send(Event{Kind: KindTrial, ID: m.id, Trial: &known, Note: known.Of(a.flight.parts)})
		return nil
	})
	if m == t.heir {
		s.inherit()
	}
}

// sound drops what an evaluator must not say: a failure that is none.
func sound(t kernels.Trial) (all []kernels.Doubt) {
	for _, d := range t.Parts {
		switch d.Verdict {
		case kernels.Failed:
			if !d.Outcome.Failed() {
				d.Outcome = kernels.Suspect
			}
		case kernels.Passed, kernels.Impossible:
		default:
			continue
		}
		d.Detail = kernels.CleanDetail(d.Detail)
		all = append(all, d)
	}
	return all
}

// inherit crowns the heir, who has stood the quick parts of its trial.
func (s *Search) inherit() {
	m := s.trials.heir
	s.trials.heir = nil
	if s.dead[m.id] { // its lineage was killed meanwhile
		s.beaten[m.id] = true
		return
	}
	s.enthrone(m, s.trials.why)
}

// loseTrial asks again for what our side lost, which the next call of doubt does. What was lost several times is given up:
// an heir is not crowned, a champion stays on trial.
func (s *Search) loseTrial(m *member, parts []kernels.TrialPart, err error) {
	t := &s.trials
	t.lost[m.id]++
	s.progress.Lost++
	note := fmt.Sprintf("trial of %s (%s), attempt %d of %d: %v", m.id.Short(), partNames(parts), t.lost[m.id], attempts, err)
	s.send(Event{Kind: KindLost, Family: s.familyName(m.space), ID: m.id, Note: strings.TrimSpace(line(note))})
	if t.lost[m.id] < attempts {
		return
	}
	what := "it stays on trial"
	if m == t.heir {
		t.heir, s.beaten[m.id] = nil, true
		delete(t.lost, m.id)
		what = "it is not crowned"
	}
	s.send(Event{Kind: KindSkip, Family: s.familyName(m.space), ID: m.id, Note: "its trial was lost too often: " + what})
}

// standing is the champion's, empty where nobody can doubt it.
func (s *Search) standing() kernels.Standing {
	if _, ok := s.ev.(Doubter); !ok || s.champion == nil || s.champion == s.naive {
		return ""
	}
	return s.trials.known[s.champion.id].Standing()
}
