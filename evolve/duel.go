package evolve

import (
	"fmt"
	"slices"
	"time"

	"darwarp/kernels"
)

// challenge lets the best claimer fight the champion, one at a time.
func (s *Search) challenge() {
	if s.ending.drains() || s.steering.paused() || s.outage.on() {
		return
	}
	if s.overtake(); s.championship.hasSuccessor() || s.dueling() || s.awaitsLikely() {
		return
	}
	m := s.championship.challenger(s.pop)
	if m == nil {
		return
	}
	t := &task{Space: m.deme.number(), Index: m.index, Champion: s.championship.champion().id, Challenger: m.id}
	if err := s.launch(t); err != nil {
		s.fail(err)
	}
}

func (s *Search) dueling() bool { return slices.ContainsFunc(s.unanswered(), (*task).isDuel) }

// likelyFor is how long the naive start is not fought while points that are likely to be fast are in flight: they go
// before others, and a trial of the first that comes, which one of them beats, takes longer where tensors are of
// gigabytes. Where there is time for it they are waited for longer, by a share of the search's time.
const (
	likelyFor     = 5 * time.Second
	mostLikelyFor = 20 * time.Second
	likelyShare   = 0.45
)

// awaitsLikely reports whether the first duel waits for what families say to try first.
func (s *Search) awaitsLikely() bool {
	return s.championship.champion() == s.pop.start() && s.clock.elapsed() < s.cfg.Budget.likely() && !s.settlesSoon() &&
		slices.ContainsFunc(s.unanswered(), (*task).isLikely)
}

func (b Budget) likely() time.Duration {
	return min(max(likelyFor, time.Duration(likelyShare*float64(b.For))), mostLikelyFor)
}

// overtake gives up a successor's trial and a duel where somebody is far ahead, and has the time to fight and to be
// tried.
func (s *Search) overtake() {
	at := slices.IndexFunc(s.queue.waiting(), func(t *task) bool { return t.isDuel() && t.isAsked() && !t.dropped })
	if s.ev.InOrder() || at < 0 && !s.championship.hasSuccessor() || s.ending.has() || s.settlesSoon() {
		return
	}
	by := s.championship.challenger(s.pop)
	if successor := s.championship.overtaken(by); successor != nil {
		s.sayOvertaken("trial", successor.id, by)
	}
	if at < 0 {
		return
	}
	if t := s.queue.waiting()[at]; s.championship.outdone(s.pop.member(t.Challenger), by) {
		t.drop()
		s.sayOvertaken("duel", t.Challenger, by)
	}
}

func (s *Search) sayOvertaken(what string, id kernels.ID, by *member) {
	s.journal.send(Event{Kind: KindSkip, ID: id,
		Note: fmt.Sprintf("the %s of %s is given up: %s is far faster", what, id.Short(), by.id.Short())})
}

// lagAfter is how long a challenger shares the device with candidates that is well ahead: by more than wellAhead, as a
// share of the champion's score.
const (
	lagAfter  = 2 * time.Second
	wellAhead = 0.8
)

// lags reports whether the champion is well behind one that has fought it, or stood its first trial, for long: then no
// candidate is begun until that is over. Where a call of the naive start takes milliseconds and others use the machine,
// a duel that has half of the device can take as long as the search.
func (s *Search) lags() bool {
	m := s.championship.champion()
	if m == nil {
		return false
	}
	limit := wellAhead * s.championship.pace().Score(m.score)
	return slices.ContainsFunc(s.doing(), func(d Doing) bool {
		return d.Took > lagAfter && d.Score > 0 && d.Score < limit
	})
}

// foremost reports whether candidates wait for what is found out about a member: while the naive start is champion and
// it is well behind. Some twenty were begun before, and where each takes the device for half a second the duel and the
// trial, which take turns with them, would last for twice as long.
func (s *Search) foremost(m *member) bool {
	champion := s.championship.champion()
	return champion == s.pop.start() && m.score < wellAhead*champion.score
}

// launchDuel asks for a duel; one that was stored before this session is not fought again.
func (s *Search) launchDuel(t *task) (err error) {
	t.Weighed = s.steering.weighed()
	champion, challenger := s.pop.member(t.Champion), s.pop.member(t.Challenger)
	if s.championship.fell(t.Champion, t.Challenger) { // since the checkpoint that asks for it
		return nil
	}
	if champion == nil || challenger == nil {
		return fmt.Errorf("duel of %s with %s: not in the run", t.Challenger.Short(), t.Champion.Short())
	}
	if d, ok := s.championship.duelOf(t.Champion, t.Challenger); ok {
		s.queue.answered(answer{task: t, duel: d})
		return nil
	}
	if t.champion, err = s.pop.job(champion.task()); err != nil {
		return err
	}
	if t.job, err = s.pop.job(challenger.task()); err != nil {
		return err
	}
	t.champion.Base = s.pop.base()
	t.job.Base = t.champion.Base
	// Each is given up by its own times: one that never ends now would hold the device for minutes.
	t.champion.Bar, t.job.Bar = s.pop.ownBar(champion), s.pop.ownBar(challenger)
	t.job.Foremost = s.foremost(challenger)
	s.queue.start(t)
	return nil
}

// decided enters the answer to a duel.
func (s *Search) decided(t *task, d kernels.Duel) {
	s.upkeep.control.hear(s.ev.Provenance(), s.journal)
	if d.Verdict != kernels.Ambiguous && !s.outage.on() {
		s.recovered()
	}
	s.championship.decide(t, d)
}
