package evolve

import (
	"fmt"
	"strings"
	"time"

	"darwarp/kernels"
)

// A search of bounded time begins no candidate in the last tenth of it, so that what is in flight, the last duels and
// the champion's trial can end in time. What has not ended a tenth after it is left for the next session. A minute is
// enough for a whole trial.
const (
	settlingShare = 10
	mostSettling  = time.Minute
)

// interruptedFor is how long an interrupted search waits for what is in flight.
const interruptedFor = 10 * time.Second

// settling is how long before the end of its time the search begins no candidate any more, and how long after it what
// goes on is left; 0 where time is not bounded. Where it is simulated a duel takes none.
func (s *Search) settling() time.Duration {
	if s.clock.simulated {
		return 0
	}
	return s.cfg.Budget.settling()
}

func (b Budget) settling() time.Duration { return min(b.For/settlingShare, mostSettling) }

// timeLeft is the time in which candidates are begun; negative where it is not bounded.
func (s *Search) timeLeft() time.Duration {
	left := s.cfg.Budget.left(s.clock.elapsed())
	if left < 0 {
		return left
	}
	return max(0, left-s.settling())
}

// bounded reports whether the time of this session has an end. A session that begins with nothing left of it only
// finishes what others have left, however long that takes.
func (s *Search) bounded() bool {
	b := s.cfg.Budget
	return b.For > 0 && !s.clock.simulated && s.clock.origin < b.For-b.settling()
}

// settlesSoon reports whether time is short enough to begin the slow parts of the champion's trial, which is champion
// in the end unless somebody is faster yet.
func (s *Search) settlesSoon() bool {
	left := s.timeLeft()
	return s.bounded() && left >= 0 && left <= s.settling()+s.settling()/2
}

// cutOff fires when what is in flight is left for the next session. The naive start is always waited for: without it
// there is no run.
func (s *Search) cutOff() <-chan time.Time {
	if !s.bounded() || s.steering.paused() || s.inbox.dropped() || !s.pop.started() {
		return nil
	}
	return time.After(min(s.cfg.Budget.For-s.clock.elapsed(), maxETA) + s.settling())
}

// cut leaves what is in flight for the next session.
func (s *Search) cut(why Reason) {
	s.ending.drain(why)
	s.ending.limit = nil
	s.journal.send(Event{Kind: KindDrain, Note: fmt.Sprintf("%s: %d in flight are left for the next session%s", why,
		s.queue.tasks(), listed("; ", s.doing()))})
	s.inbox.drop()
}

// unsettled tells what the next session begins with.
func (s *Search) unsettled(sum *Summary) {
	sum.Left = len(s.unanswered())
	if m := s.championship.challenger(s.pop); m != nil {
		sum.Contender, sum.Claims = m.id, s.championship.pace().Score(m.score)
	}
}

// interrupt finishes what the device has begun, if that does not take long.
func (s *Search) interrupt() {
	if !s.ev.InOrder() {
		s.queue.withdraw()
		s.ending.hurry(interruptedFor)
	}
	s.drain(ReasonInterrupted)
}

// awaited says what the end of the search waits for, after other words.
func (s *Search) awaited() string {
	if s.clock.simulated {
		return ""
	}
	text := listed(", with ", s.doing())
	switch {
	case s.ending.why() == ReasonInterrupted && s.ending.limit != nil:
		text += fmt.Sprintf(", waited for at most %s", kernels.Span(interruptedFor))
	case s.bounded():
		text += fmt.Sprintf(", waited for until %s", kernels.Span(s.cfg.Budget.For+s.settling()))
	}
	if n := s.queue.abandoned(); n > 0 {
		text += fmt.Sprintf("; %d that were not begun are left for the next session", n)
	}
	return text
}

// sayDone says once that no more candidates are begun because time is up, and what is waited for.
func (s *Search) sayDone() {
	switch up := s.ending.why() == ReasonTime && s.bounded(); {
	case s.ending.drains():
	case !up:
		s.ending.said = false
	case !s.ending.said && s.queue.running() > 0:
		s.ending.said = true
		s.journal.send(Event{Kind: KindDrain, Note: fmt.Sprintf("%s: %d in flight%s", ReasonTime, s.queue.tasks(),
			s.awaited())})
	}
}

// listed is what goes on beside the candidates, after other words; empty where nothing does.
func listed(head string, doing []Doing) string {
	if len(doing) == 0 {
		return ""
	}
	var all []string
	for _, d := range doing {
		all = append(all, d.String())
	}
	return head + strings.Join(all, " and ")
}
