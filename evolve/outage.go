package evolve

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"darwarp/kernels"
)

// After tripAfter verdicts in a row that were lost the champion is asked, which is known to work. If it gets its verdict
// it was the candidates that took their workers along. If not there is an outage: nothing new is asked for, and the
// champion again after pauses that double to 5 minutes, and start over once all was well for healthy.
const (
	tripAfter = 5
	healthy   = 10 * time.Minute
)

// respites are the pauses, 20 minutes together: a driver that is installed anew, a disk or a machine's other tenants
// are through by then. After the last the search ends.
var respites = []time.Duration{10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second, 160 * time.Second, 5 * time.Minute, 5 * time.Minute, 5 * time.Minute}

// Outage is the error of a search that ended because our side failed again and again. Its state is saved.
type Outage struct {
	Lost  int           // verdicts in a row
	Since time.Duration // the first of them
	Why   string        // the last one was lost
}

func (o *Outage) Error() string {
	return fmt.Sprintf("nothing can be evaluated here any more: %d verdicts in a row were lost in %s, the last with: %s. See darwarp doctor and the system's log, then go on with --resume",
		o.Lost, o.Since.Round(time.Second), line(o.Why))
}

// outage is what is known of failures of our own side.
type outage struct {
	lost    int              // verdicts in a row, without one that shows that evaluating works
	first   time.Time        // of them
	why     string           // the last of them
	held    []*flight        // lost, and not known whether by their own doing
	over    <-chan time.Time // fires at the end of a pause, nil outside of one
	probing bool             // the champion is asked
	told    bool             // that there is one
	pauses  int              // since all was well for long
	ended   time.Time        // the last outage
}

func (o *outage) on() bool { return o.lost >= tripAfter }

// line is the first line of a text.
func line(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

// lose asks again for what was lost. What was lost several times is given up once others get a verdict, and
// held until then.
func (s *Search) lose(f *flight, why string) {
	o := &s.outage
	f.Attempts++
	s.progress.Lost++
	if o.lost++; o.lost == 1 {
		o.first = s.clock.now()
	}
	o.why = why
	s.send(Event{Kind: KindLost, Family: s.familyName(f.Space), ID: f.job.ID, Note: fmt.Sprintf("attempt %d of %d: %s", f.Attempts, attempts, why)})
	switch {
	case s.naive == nil && f.Attempts >= attempts:
		s.fail(fmt.Errorf("no verdict on the naive start after %d attempts: %w", attempts, o.error(s.clock.now())))
	case s.stopping:
		f.Attempts = min(f.Attempts, attempts-1)
		s.queue.pending = append(s.queue.pending, f)
	case o.on() || f.Attempts >= attempts:
		o.held = append(o.held, f)
	default:
		s.queue.start(f, s.evaluate)
	}
}

func (o *outage) error(now time.Time) error { return &Outage{o.lost, now.Sub(o.first), o.why} }

// rest begins a pause. Nobody is given up for what was lost in an outage.
func (s *Search) rest() {
	o := &s.outage
	for _, f := range o.held {
		f.Attempts = min(f.Attempts, attempts-1)
	}
	now := s.clock.now()
	if !o.ended.IsZero() && now.Sub(o.ended) > healthy {
		o.pauses = 0
	}
	if o.pauses >= len(s.respites) {
		s.fail(o.error(now))
		return
	}
	wait := s.respites[o.pauses]
	o.pauses++
	if !o.told {
		s.send(Event{Kind: KindOutage, Note: fmt.Sprintf("%d verdicts in a row were lost, the champion's too: waiting %s and longer, %d times at most (%s)", o.lost, wait, len(s.respites)-o.pauses+1, line(o.why))})
	}
	o.told = true
	if left := s.cfg.Budget.For - s.clock.elapsed(); s.cfg.Budget.For > 0 {
		wait = min(wait, max(0, left))
	}
	o.over = time.After(wait)
}

// probe asks for the champion once more: it was right, so that only our side can lose it.
func (s *Search) probe() {
	o := &s.outage
	if o.over != nil || o.probing {
		return
	}
	if s.reason = s.spent(); s.reason != "" {
		return
	}
	f := s.champion.flight()
	f.aside = probing
	var err error
	if f.job, err = s.job(f); err != nil {
		s.fail(err)
		return
	}
	s.setBar(f.job)
	o.probing = true
	s.queue.start(f, s.evaluate)
}

// probed ends the outage, or begins the next pause. A champion that is no longer right says that the device is not.
func (s *Search) probed(a answer) {
	o := &s.outage
	o.probing = false
	r := a.result
	switch {
	case s.stopping:
		return
	case a.err != nil:
		o.why = a.err.Error()
	case r.Outcome == kernels.OK:
		s.sound()
		return
	case r.Outcome == kernels.Lost:
		o.why = r.Detail
	default:
		o.why = fmt.Sprintf("the champion %s, which was right before, is %s: %s", a.flight.job.ID.Short(), r.Outcome, r.Detail)
	}
	o.lost++
	s.rest()
}

// sound notes that evaluating works. Who was held is asked again, or given up: others got their verdicts meanwhile.
func (s *Search) sound() {
	o := &s.outage
	if o.told {
		o.ended, o.told = s.clock.now(), false
		s.send(Event{Kind: KindOutage, Note: "the champion gets its verdict again: going on"})
	}
	held := o.held
	o.lost, o.held, o.over = 0, nil, nil
	for _, f := range held {
		if f.Attempts < attempts {
			s.queue.start(f, s.evaluate)
			continue
		}
		s.giveUp(f)
	}
}

// giveUp passes over a point, or files a duel as not won.
func (s *Search) giveUp(f *flight) {
	switch {
	case !f.Challenger.IsZero():
		s.beaten[f.Challenger] = true
	case f.Space != own:
		s.progress.Passed = append(s.progress.Passed, [2]int{f.Space, f.Index})
	}
	s.send(Event{Kind: KindSkip, Family: s.familyName(f.Space), ID: f.job.ID, Note: fmt.Sprintf("lost %d times while others were not: given up", f.Attempts)})
}

// shows reports whether a verdict took the whole way, and so shows that evaluating works.
func shows(o kernels.Outcome) bool {
	switch o {
	case kernels.OK, kernels.Wrong, kernels.Crashed, kernels.TimedOut, kernels.Flaky:
		return true
	}
	return false
}

// unanswered is what a checkpoint keeps of what was asked for.
func (s *Search) unanswered() (all []*flight) {
	for _, f := range slices.Concat(s.queue.pending, s.outage.held) {
		if f.aside == 0 {
			all = append(all, f)
		}
	}
	return all
}
